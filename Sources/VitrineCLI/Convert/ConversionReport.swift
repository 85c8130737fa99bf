import Vitrine

#if canImport(FoundationEssentials)
    import FoundationEssentials
#else
    import Foundation
#endif

/// The report of `vitrine convert --json`.
struct ConversionReport: Codable {
    struct File: Codable {
        let name: String
        let bytes: Int
    }

    struct Counts: Codable {
        var nodes = 0
        var meshes = 0
        var triangles = 0
        var animations = 0

        init(_ scene: Scene) {
            var seen: Set<ObjectIdentifier> = []
            var counts = (nodes: 0, triangles: 0)
            scene.rootNode.forSubtree { node in
                counts.nodes += 1
                guard let mesh = node.mesh, seen.insert(ObjectIdentifier(mesh)).inserted else { return }
                counts.triangles += mesh.triangleCount
            }
            // Does not count the root of the scene.
            (nodes, triangles, meshes, animations) = (counts.nodes - 1, counts.triangles, seen.count, scene.animations.count)
        }
    }

    struct Warnings: Codable {
        let reading: [ModelWarning]
        let writing: [ModelWarning]
    }

    let input: String
    let output: String
    let inputFormat: String
    let outputFormat: String
    /// OUT, then the files beside it.
    let files: [File]
    let counts: Counts
    let warnings: Warnings
}
