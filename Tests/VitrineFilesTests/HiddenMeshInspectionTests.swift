import Foundation
import Testing
import VitrineFiles
import VitrineTestSupport

/// `vitrine inspect` counts the triangles of visible meshes; hidden ones are reported separately.
@Suite struct HiddenMeshInspectionTests {
    private func quad(_ name: String, _ properties: String = "") -> String {
        """
        def Mesh "\(name)"
        {
            point3f[] points = [(0, 0, 0), (1, 0, 0), (1, 1, 0), (0, 1, 0)]
            int[] faceVertexCounts = [4]
            int[] faceVertexIndices = [0, 1, 2, 3]
            \(properties)
        }

        """
    }

    @Test func hiddenMeshesAreNotVisibleTriangles() async throws {
        let layer =
            """
            #usda 1.0
            ( metersPerUnit = 1 upAxis = "Y" )

            """ + quad("visible") + quad("hidden", "token visibility = \"invisible\"") + "def Xform \"group\"\n{\n"
            + "token visibility = \"invisible\"\n" + quad("first") + quad("second") + "}\n"
        try await withTemporaryDirectory { folder in
            let url = folder.appendingPathComponent("a.usda")
            try layer.write(to: url, atomically: true, encoding: .utf8)
            let inspection = try await FileInspection(contentsOf: url)
            let counts = try #require(inspection.model?.counts)
            #expect(counts.triangles == 2 && counts.drawnTriangles == 2)
            #expect(counts.hiddenMeshNodes == 3 && counts.hiddenTriangles > 0)
            #expect(inspection.text.contains("hidden: 3 nodes with a mesh"))
        }
    }
}
