import Testing
import VitrineFiles
import VitrineMath
import VitrineScene

/// Which nodes the joints of a skin are.
@Suite struct COLLADASkeletonTests {
    /// A triangle `g` whose vertices all hang on the joint "hip".
    private func libraries(_ more: String = "") -> String {
        let mesh = COLLADAText.mesh("0 0 0 1 0 0 0 1 0", "<triangles>\(COLLADAText.vertexInput)<p>0 1 2</p></triangles>")
        let skin = """
            <controller id="sk"><skin source="#g"><source id="sj"><Name_array id="sja" count="1">hip</Name_array></source>
            \(COLLADAText.source("sb", "1 0 0 0 0 1 0 0 0 0 1 0 0 0 0 1", (0..<16).map { "M\($0)" }))\(COLLADAText.source("sw", "1", ["W"]))
            <joints><input semantic="JOINT" source="#sj"/><input semantic="INV_BIND_MATRIX" source="#sb"/></joints>
            <vertex_weights count="3"><input semantic="JOINT" source="#sj" offset="0"/><input semantic="WEIGHT" source="#sw" offset="1"/>
            <vcount>1 1 1</vcount><v>0 0 0 0 0 0</v></vertex_weights></skin></controller>
            """
        return "<library_geometries>\(mesh)</library_geometries><library_controllers>\(skin)</library_controllers>\(more)"
    }

    private func instance(_ skeleton: String) -> String {
        "<instance_controller url=\"#sk\"><skeleton>#\(skeleton)</skeleton></instance_controller>"
    }

    private let rig = """
        <node id="rig"><translate>5 0 0</translate><instance_geometry url="#g"/>
        <node id="hipid" sid="hip"><translate sid="t">0 3 0</translate></node></node>
        """

    private let motion =
        "<library_animations><animation>" + COLLADAText.source("i", "0 1", ["TIME"]) + COLLADAText.source("o", "3 7", ["Y"])
        + "<sampler id=\"sampler\"><input semantic=\"INPUT\" source=\"#i\"/><input semantic=\"OUTPUT\" source=\"#o\"/></sampler>"
        + "<channel source=\"#sampler\" target=\"hipid/t.Y\"/></animation></library_animations>"

    @Test func aSkeletonOfALibraryBends() throws {
        let text = COLLADAText.document(
            libraries("<library_nodes>\(rig)</library_nodes>\(motion)"), nodes: "<node>\(instance("hipid"))</node>",
            asset: "<unit meter=\"0.1\"/>")
        let loaded = try COLLADAText.load(text)
        #expect(loaded.warnings == [])
        // One triangle: the library's own mesh isn't instantiated. The joint's ancestors count, and the document's unit.
        let corners = WorldTriangles(loaded.scene).corners
        #expect(corners.count == 3 && length(corners[0].position - Vector3(0.5, 0.3, 0)) < 1e-6)
        try #require(loaded.scene.animations.first).apply(at: 1)
        #expect(length(WorldTriangles(loaded.scene).corners[0].position - Vector3(0.5, 0.7, 0)) < 1e-6)
    }

    /// A node that only has the name of the joint stands first.
    @Test func aSkeletonMayBeTheVisualScene() throws {
        let nodes = "<node name=\"hip\"><translate>0 0 9</translate></node>\(rig)<node>\(instance("s"))</node>"
        let loaded = try COLLADAText.load(COLLADAText.document(libraries(), nodes: nodes))
        #expect(loaded.warnings == [])
        let corners = WorldTriangles(loaded.scene).corners
        #expect(corners.count == 6 && length(corners[3].position - Vector3(5, 3, 0)) < 1e-6)
    }

    /// Each instance of a node that contains mesh and skeleton is deformed by its own skeleton.
    @Test func instancesHaveTheirOwnSkeleton() throws {
        let figure = """
            <library_nodes><node id="figure"><node id="hipid" sid="hip"><translate>0 3 0</translate></node>
            <node>\(instance("hipid"))</node></node></library_nodes>
            """
        let nodes = [1, 2].map { "<node><translate>\($0) 0 0</translate><instance_node url=\"#figure\"/></node>" }.joined()
        let loaded = try COLLADAText.load(COLLADAText.document(libraries(figure), nodes: nodes))
        #expect(loaded.warnings == [])
        let corners = WorldTriangles(loaded.scene).corners
        #expect(corners.count == 6)
        #expect(length(corners[0].position - Vector3(1, 3, 0)) < 1e-6 && length(corners[3].position - Vector3(2, 3, 0)) < 1e-6)
    }

    @Test func aMissingSkeletonIsReported() throws {
        let loaded = try COLLADAText.load(COLLADAText.document(libraries(), nodes: "<node>\(instance("nowhere"))</node>"))
        #expect(loaded.warnings.contains { $0.message.contains("no skeleton \"#nowhere\"") })
        #expect(loaded.warnings.contains { $0.message.contains("no joint \"hip\"") })
    }
}
