import VitrineARView

#if canImport(FoundationEssentials)
    import FoundationEssentials
#else
    import Foundation
#endif

/// The parts of the scene that a replay detects and reconstructs.
struct SceneArguments {
    /// The geometry that hides the models.
    enum Occlusion: String, CaseIterable { case automatic, depth, mesh, none }

    /// Files of posters with their widths in metres.
    var posters: [(file: URL, width: Double)] = []
    var reconstructsMesh = false
    /// The file of the mesh; nil for none.
    var meshFile: URL?
    var hasReflections = false
    var occlusion = Occlusion.automatic

    static let options: [CommandOption<SceneArguments>] = [
        CommandOption(
            "--image", value: "FILE:METRES",
            help:
                "Detects a reference image (PNG, JPEG) by its physical width, such as poster.png:0.3. Repeatable. Place models on it with @image."
        ) { (arguments, text) throws(UsageError) in arguments.posters.append(try poster(text)) },
        CommandOption("--mesh", help: "Reconstructs a mesh from depth images, which hides the models.") { $0.reconstructsMesh = true },
        CommandOption("--save-mesh", value: "FILE", help: "Writes that mesh as a model (.glb, .ply, .obj …).") {
            (arguments, text) throws(UsageError) in
            guard ModelFile.format(forExtension: URL(fileURLWithPath: text).pathExtension) != nil else {
                throw UsageError("'\(text)': the extension is not that of a model format that can be written")
            }
            (arguments.meshFile, arguments.reconstructsMesh) = (URL(fileURLWithPath: text), true)
        },
        CommandOption(
            "--occlusion", value: "KIND",
            help:
                "The geometry that hides the models: automatic (the depth image, and the mesh where it has no depth), depth, mesh or none. Default: automatic."
        ) { (arguments, text) throws(UsageError) in
            arguments.occlusion = try parseWord(text, Occlusion.allCases.map { ($0.rawValue, $0) })
        },
        CommandOption("--reflections", help: "Lights the models with the surroundings that the camera observed.") {
            $0.hasReflections = true
        },
    ]

    /// Parses a poster in the form FILE:METRES.
    static func poster(_ text: String) throws(UsageError) -> (file: URL, width: Double) {
        guard let colon = text.lastIndex(of: ":"), colon != text.startIndex else {
            throw UsageError("'\(text)' is not FILE:METRES, such as poster.png:0.3")
        }
        let width = Double(try parseNumber(String(text[text.index(after: colon)...]), in: 0.001...100))
        return (URL(fileURLWithPath: String(text[..<colon])), width)
    }

    func apply(to configuration: inout ARWorldTrackingConfiguration) throws {
        configuration.detectionImages = try posters.map { try ARReferenceImage(contentsOf: $0.file, physicalWidth: $0.width) }
        if reconstructsMesh { configuration.sceneReconstruction = .mesh }
        if hasReflections { configuration.environmentTexturing = .automatic }
    }

    @MainActor func apply(to renderer: ARSceneRenderer) {
        renderer.isOccludedByDepth = occlusion == .automatic || occlusion == .depth
        renderer.isOccludedByMesh = occlusion == .automatic || occlusion == .mesh
    }
}

/// The images and the mesh of a replay's last frame.
struct SceneSummary {
    struct Poster: Encodable {
        let name: String
        /// The time at which the poster was detected, in seconds since the first frame.
        let seconds: Double
        let trackedFrames: Int
        let position: [Float]
    }

    private(set) var posters: [Poster] = []
    private(set) var meshes: [ARMeshAnchor] = []
    private var detected: [UUID: (seconds: Double, frames: Int)] = [:]

    var triangleCount: Int { meshes.reduce(0) { $0 + $1.geometry.faces.count } }

    mutating func add(_ frame: ARFrame, elapsed: Double) {
        meshes = frame.anchors.compactMap { $0 as? ARMeshAnchor }
        posters = frame.anchors.compactMap { $0 as? ARImageAnchor }.map { anchor in
            var seen = detected[anchor.identifier] ?? (elapsed, 0)
            if anchor.isTracked { seen.frames += 1 }
            detected[anchor.identifier] = seen
            let p = anchor.transform.translation
            return Poster(name: anchor.name ?? "", seconds: seen.seconds, trackedFrames: seen.frames, position: [p.x, p.y, p.z])
        }
    }

    func printText() {
        for poster in posters {
            let p = poster.position
            print(
                "image \(poster.name): detected after \(poster.seconds.fixed(2)) s, tracked in \(poster.trackedFrames) frames, at \(p[0].fixed(3)), \(p[1].fixed(3)), \(p[2].fixed(3)) m"
            )
        }
        if !meshes.isEmpty { print("mesh: \(meshes.count) anchors, \(triangleCount) triangles") }
    }

    /// The mesh as a scene of one node.
    func scene() throws -> Scene {
        let scene = Scene(name: "mesh")
        let material = Material(name: "mesh", baseColor: Color(sRGB: 0xB8B8B8), roughness: 0.9)
        var (positions, normals, indices): ([Float], [Float], [UInt32]) = ([], [], [])
        for anchor in meshes {
            let first = UInt32(positions.count / 3)
            for (vertex, normal) in zip(anchor.geometry.vertices, anchor.geometry.normals) {
                let p = anchor.transform.transform(point: vertex)
                let n = anchor.transform.transform(direction: normal)
                positions += [p.x, p.y, p.z]
                normals += [n.x, n.y, n.z]
            }
            for face in anchor.geometry.faces { indices += [first + face.x, first + face.y, first + face.z] }
        }
        let geometry = try Geometry(
            attributes: [
                VertexAttribute(.position, componentCount: 3, values: positions),
                VertexAttribute(.normal, componentCount: 3, values: normals),
            ], indices: indices)
        scene.rootNode.addChildNode(Node(name: "mesh", mesh: Mesh(geometry: geometry, material: material)))
        return scene
    }
}
