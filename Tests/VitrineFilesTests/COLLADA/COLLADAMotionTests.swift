import Foundation
import Testing
import VitrineFiles
import VitrineMath
import VitrineScene

@Suite struct COLLADAMotionTests {
    /// An animation of one channel.
    private func animation(_ target: String, times: String, values: String, names: [String], shapes: String, tangents: String = "")
        -> String
    {
        let count = times.split(separator: " ").count
        return """
            <library_animations><animation id="a">\(COLLADAText.source("in", times, ["TIME"]))\(COLLADAText.source("out", values, names))
            <source id="how"><Name_array id="how-a" count="\(count)">\(shapes)</Name_array><technique_common><accessor source="#how-a" count="\(count)"
            stride="1"><param name="INTERPOLATION" type="name"/></accessor></technique_common></source>\(tangents)
            <sampler id="smp"><input semantic="INPUT" source="#in"/><input semantic="OUTPUT" source="#out"/>
            <input semantic="INTERPOLATION" source="#how"/>\(tangents.isEmpty ? "" : "<input semantic=\"OUT_TANGENT\" source=\"#to\"/><input semantic=\"IN_TANGENT\" source=\"#ti\"/>")</sampler>
            <channel source="#smp" target="\(target)"/></animation></library_animations>
            """
    }

    private func scene(_ animation: String, node: String) throws -> Scene {
        try COLLADAText.load(COLLADAText.document(animation, nodes: node)).scene
    }

    @Test func linearMovesAreExact() throws {
        let scene = try scene(
            animation("n/t.X", times: "0 2", values: "0 10", names: ["X"], shapes: "LINEAR LINEAR"),
            node: "<node id=\"n\"><translate sid=\"t\">0 1 0</translate></node>")
        let track = try #require(scene.animations.first?.tracks.first)
        #expect(track.target == .translation && track.times == [0, 2] && track.values == [0, 1, 0, 10, 1, 0])
    }

    /// 10,000 animated transforms of one node took minutes: the sum of their motion.
    @Test func nodesOfManyTransformsMove() throws {
        let count = 10_000
        let nodes = "<node id=\"n\">" + (0..<count).map { "<translate sid=\"t\($0)\">0 0 0</translate>" }.joined() + "</node>"
        let one = animation("n/t0.X", times: "0 2", values: "0 0.5", names: ["X"], shapes: "LINEAR LINEAR")
        let channels = (1..<count).map { "<channel source=\"#smp\" target=\"n/t\($0).X\"/>" }.joined()
        let scene = try scene(one.replacingOccurrences(of: "</animation>", with: channels + "</animation>"), node: nodes)
        let track = try #require(scene.animations.first?.tracks.first)
        #expect(track.times.first == 0 && track.times.last == 2)
        let end = try #require(track.values.suffix(3).first)
        #expect(abs(end - Float(count) / 2) < 1)
    }

    /// Channels that share curves of many keys: beyond a limit the motion is skipped with a warning.
    @Test func tooManyKeysAndChannelsAreLeftOut() throws {
        let (count, keys) = (4000, 40_000)
        let nodes = "<node id=\"n\">" + (0..<count).map { "<translate sid=\"t\($0)\">0 0 0</translate>" }.joined() + "</node>"
        let times = (0..<keys).map(String.init).joined(separator: " ")
        let shapes = Array(repeating: "LINEAR", count: keys).joined(separator: " ")
        let one = animation("n/t0.X", times: times, values: times, names: ["X"], shapes: shapes)
        let channels = (1..<count).map { "<channel source=\"#smp\" target=\"n/t\($0).X\"/>" }.joined()
        let text = one.replacingOccurrences(of: "</animation>", with: channels + "</animation>")
        let loaded = try COLLADAText.load(COLLADAText.document(text, nodes: nodes))
        #expect(loaded.scene.animations.isEmpty)
        #expect(loaded.warnings.contains { "\($0)".contains("too many transforms and keys") }, "\(loaded.warnings)")
    }

    @Test func wholeTurnsTurn() throws {
        let scene = try scene(
            animation("n/r.ANGLE", times: "0 1", values: "0 720", names: ["ANGLE"], shapes: "LINEAR LINEAR"),
            node: "<node id=\"n\"><rotate sid=\"r\">0 1 0 0</rotate></node>")
        let (clip, node) = (try #require(scene.animations.first), scene.rootNode.childNodes[0])
        for step in 0...40 {
            let time = Float(step) / 40
            clip.apply(at: time)
            let expected = Matrix3(Quaternion(angle: .degrees(720 * time), axis: .up))
            #expect(length(Matrix3(node.orientation).x - expected.x) < 1e-3, "at \(time)")
        }
    }

    @Test func bezierCurvesAreFollowed() throws {
        let tangents = COLLADAText.source("to", "0.5 0 1 10", ["X", "Y"]) + COLLADAText.source("ti", "0 0 0.5 10", ["X", "Y"])
        let scene = try scene(
            animation("n/t.Z", times: "0 1", values: "0 10", names: ["Z"], shapes: "BEZIER BEZIER", tangents: tangents),
            node: "<node id=\"n\"><translate sid=\"t\">0 0 0</translate></node>")
        let (clip, node) = (try #require(scene.animations.first), scene.rootNode.childNodes[0])
        for step in 0...20 {
            // Both handles at half the time: the parameter follows from time = 1.5 s (1 − s) + s³.
            let s = Float(step) / 20
            let r = 1 - s
            let (time, value) = (3 * r * r * s * 0.5 + 3 * r * s * s * 0.5 + s * s * s, 3 * r * s * s * 10 + s * s * s * 10)
            clip.apply(at: time)
            #expect(abs(node.position.z - value) < 0.02, "at \(time)")
        }
    }

    @Test func stepsJump() throws {
        let scene = try scene(
            animation("n/t.Y", times: "0 1 2", values: "0 5 7", names: ["Y"], shapes: "STEP STEP STEP"),
            node: "<node id=\"n\"><translate sid=\"t\">0 0 0</translate></node>")
        let (clip, node) = (try #require(scene.animations.first), scene.rootNode.childNodes[0])
        for (time, value) in [(Float(0.99), Float(0)), (1, 5), (1.99, 5), (2, 7)] {
            clip.apply(at: time)
            #expect(node.position.y == value, "at \(time)")
        }
    }

    @Test(arguments: ["n/m(3)(0)", "n/m(0)(3)"]) func cellsOfMatrices(_ target: String) throws {
        let scene = try scene(
            animation(target, times: "0 1", values: "0 4", names: ["M"], shapes: "LINEAR LINEAR"),
            node: "<node id=\"n\"><matrix sid=\"m\">1 0 0 0 0 1 0 0 0 0 1 0 0 0 0 1</matrix></node>")
        scene.animations.first?.apply(at: 0.5)
        #expect(length(scene.rootNode.childNodes[0].position - Vector3(2, 0, 0)) < 1e-6)
    }

    @Test func clipsCutAndMove() throws {
        let clips =
            "<library_animation_clips><animation_clip id=\"c\" name=\"half\" start=\"1\" end=\"2\"><instance_animation url=\"#a\"/></animation_clip></library_animation_clips>"
        let scene = try scene(
            animation("n/t.X", times: "0 4", values: "0 8", names: ["X"], shapes: "LINEAR LINEAR") + clips,
            node: "<node id=\"n\"><translate sid=\"t\">0 0 0</translate></node>")
        let clip = try #require(scene.animations.first)
        #expect(clip.name == "half" && clip.duration == 1 && scene.animations.count == 1)
        clip.apply(at: 0.5)
        #expect(abs(scene.rootNode.childNodes[0].position.x - 3) < 1e-5)
    }

    @Test func morphsAndSkins() throws {
        let square = "0 0 0 1 0 0 0 1 0"
        let triangles = "<triangles>IN<p>0 1 2</p></triangles>"
        let meshes =
            COLLADAText.mesh(square, triangles.replacing("IN", with: COLLADAText.vertexInput))
            + COLLADAText.mesh(
                "0 0 2 1 0 2 0 1 2", triangles.replacing("IN", with: COLLADAText.vertexInput.replacing("#gv", with: "#hv")), id: "h")
        let morph = """
            <controller id="mo"><morph source="#g" method="NORMALIZED"><source id="mt"><IDREF_array id="mta" count="1">h</IDREF_array></source>
            \(COLLADAText.source("mw", "0.25", ["W"]))<targets><input semantic="MORPH_TARGET" source="#mt"/><input semantic="MORPH_WEIGHT" source="#mw"/></targets></morph></controller>
            """
        let skin = """
            <controller id="sk"><skin source="#mo"><bind_shape_matrix>1 0 0 10 0 1 0 0 0 0 1 0 0 0 0 1</bind_shape_matrix>
            <source id="sj"><Name_array id="sja" count="1">hip</Name_array></source>
            \(COLLADAText.source("sb", "1 0 0 -1 0 1 0 0 0 0 1 0 0 0 0 1", (0..<16).map { "M\($0)" }))
            \(COLLADAText.source("sw", "1 0.5", ["W"]))
            <joints><input semantic="JOINT" source="#sj"/><input semantic="INV_BIND_MATRIX" source="#sb"/></joints>
            <vertex_weights count="3"><input semantic="JOINT" source="#sj" offset="0"/><input semantic="WEIGHT" source="#sw" offset="1"/>
            <vcount>1 2 0</vcount><v>0 0 0 1 -1 1</v></vertex_weights></skin></controller>
            """
        let libraries =
            "<library_geometries>\(meshes)</library_geometries><library_controllers>\(morph)\(skin)</library_controllers>"
            + animation("mw-a(0)", times: "0 1", values: "0 1", names: ["W"], shapes: "LINEAR LINEAR")
        let nodes =
            "<node id=\"hipid\" sid=\"hip\"><translate>0 3 0</translate></node><node><instance_controller url=\"#sk\"><skeleton>#hipid</skeleton></instance_controller></node>"
        let scene = try COLLADAText.load(COLLADAText.document(libraries, nodes: nodes)).scene
        // Bound at +10, the joint's bind takes 1 away, the joint is 3 up; the target adds 2 × 0.25.
        func corners() -> [Vector3] { WorldTriangles(scene).corners.map(\.position) }
        #expect(length(corners()[0] - Vector3(9, 3, 0.5)) < 1e-5)
        // Half the joint, half the bind shape alone.
        #expect(length(corners()[1] - Vector3(10.5, 1.5, 0.5)) < 1e-5)
        #expect(length(corners()[2] - Vector3(10, 1, 0.5)) < 1e-5)
        scene.animations.first?.apply(at: 0.5)
        #expect(abs(corners()[0].z - 1) < 1e-5)
    }

    /// Clips move nodes and morph weights: the reader names everything else that is animated.
    @Test func unsupportedAnimationsAreReportedByName() throws {
        let effect = """
            <library_effects><effect id="e" name="Paint"><profile_COMMON><technique sid="t"><lambert>
            <diffuse><color sid="c">1 0 0 1</color></diffuse></lambert></technique></profile_COMMON></effect></library_effects>
            <library_cameras><camera id="cam"><optics><technique_common><perspective><yfov sid="f">40</yfov></perspective></technique_common>
            </optics></camera></library_cameras>
            """
        func warnings(_ target: String) throws -> [String] {
            let motion = animation(target, times: "0 1", values: "0 1", names: ["R"], shapes: "LINEAR LINEAR")
            return try COLLADAText.load(COLLADAText.document(effect + motion, nodes: "<node/>")).warnings.map(\.message)
        }
        let end = " is not supported: the value in the file is shown"
        #expect(try warnings("e/t/c.R") == ["the animation of <diffuse> of effect \"Paint\"\(end)"])
        #expect(try warnings("cam/f") == ["the animation of <yfov> of camera \"cam\"\(end)"])
    }
}
