import Vitrine

#if canImport(FoundationEssentials)
    import FoundationEssentials
#else
    import Foundation
#endif

/// The ground truth of a photo set: cameras and surface.
enum PhotosetFiles {
    /// Returns the content of `cameras.json`: x ~ K(RX + t) with x right, y down, z forward, the first pixel's centre at (0.5, 0.5).
    static func cameras(_ shots: [(name: String, view: View)], size: (width: Int, height: Int)) throws -> Data {
        let list = shots.map { shot -> CameraEntry in
            let view = shot.view
            guard case .perspective(let fieldOfView) = view.camera.projection else {
                preconditionFailure("photo sets use perspective cameras")
            }
            let focal = Double(size.height) / 2 / VitrineMath.tan(Double(fieldOfView.radians) / 2)
            // The renderer's cameras look along −Z with +Y up: negate y and z.
            let (x, y, z) = (view.worldFromCamera.x.xyz, -view.worldFromCamera.y.xyz, -view.worldFromCamera.z.xyz)
            let eye = view.worldFromCamera.translation
            let rows = [x, y, z].map { row in [row.x, row.y, row.z].map(Double.init) }
            let translation = rows.map { row in -(row[0] * Double(eye.x) + row[1] * Double(eye.y) + row[2] * Double(eye.z)) }
            return CameraEntry(
                image: "images/" + shot.name, width: size.width, height: size.height,
                K: [[focal, 0, Double(size.width) / 2], [0, focal, Double(size.height) / 2], [0, 0, 1]], R: rows, t: translation)
        }
        return try JSONReport.data(
            CameraFile(convention: "x ~ K(RX+t), OpenCV axes, world Y up, metres", cameras: list), convertsKeys: false)
    }

    private struct CameraFile: Encodable {
        let convention: String
        let cameras: [CameraEntry]
    }

    // Names of the file format.
    // swift-format-ignore: AlwaysUseLowerCamelCase
    private struct CameraEntry: Encodable {
        let image: String
        let width, height: Int
        let K, R: [[Double]]
        let t: [Double]
    }

    /// Returns the triangles of the scene as Wavefront OBJ in the world frame.
    @MainActor
    static func truth(of scene: Scene, path: String) throws -> Data {
        var text = "# The model of the photo set, world frame, metres.\n"
        var base = 1
        var failure: CommandError?
        scene.rootNode.forSubtree { node in
            guard let mesh = node.mesh else { return }
            if node.skin != nil || mesh.morphTargetCount > 0 {
                failure = CommandError(file: path, reason: "'\(node.name)' is skinned or morphed: --photoset requires rigid models")
            }
            let matrix = node.worldTransform
            for part in mesh.parts {
                let geometry = part.geometry
                let indices = geometry.triangleIndices
                guard !indices.isEmpty, let positions = geometry.attributes.first(where: { $0.semantic == .position })?.values else {
                    continue
                }
                for vertex in 0..<geometry.vertexCount {
                    let p = matrix.transform(point: Vector3(positions[3 * vertex], positions[3 * vertex + 1], positions[3 * vertex + 2]))
                    text += "v \(p.x) \(p.y) \(p.z)\n"
                }
                for triangle in stride(from: 0, to: indices.count, by: 3) {
                    text += "f \(base + Int(indices[triangle])) \(base + Int(indices[triangle + 1])) \(base + Int(indices[triangle + 2]))\n"
                }
                base += geometry.vertexCount
            }
        }
        if let failure { throw failure }
        return Data(text.utf8)
    }
}
