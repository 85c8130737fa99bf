import Vitrine
import VitrineFiles

/// The model of a page.
@MainActor
enum WebModel {
    struct Textures {
        /// The maximum of the longest side in pixels.
        var side = 2048
        var format = OptimizeOptions.TextureFormat.webp
        /// The quality of lossy textures, 1…100.
        var quality = 90
    }

    /// Encodes a scene as a GLB file with baked occlusion. Changes the scene.
    ///
    /// - Parameter maximumTriangles: The number of triangles above which the meshes are simplified; nil to keep all.
    static func encode(
        _ scene: Scene, textures: Textures = Textures(), maximumTriangles: Int? = nil,
        progress: @escaping (OptimizeStep, Double) -> Void = { _, _ in }
    ) async throws -> (file: WebFile, warnings: [ModelWarning]) {
        var options = OptimizeOptions()
        options.steps = [.deduplicate, .textures]
        options.keepsNames = true
        options.textureSide = textures.side
        options.textureFormat = textures.format
        options.textureQuality = textures.quality
        options.writesOcclusion = true
        if let maximumTriangles {
            let count = triangleCount(of: scene)
            if count > maximumTriangles {
                options.steps.formUnion([.weld, .simplify])
                options.simplifyRatio = Float(maximumTriangles) / Float(count)
                options.simplifyError = 0.01
            }
        }
        let optimized = try await ModelOptimizer.optimize(scene, as: .glb, name: "model.glb", options: options, progress: progress)
        let file = WebFile(name: "model.glb", bytes: optimized.model.files[0].bytes)
        return (file, optimized.report.warnings + optimized.model.warnings)
    }

    /// Shows the base colours of a scene without light: removes all other properties of its materials.
    static func removeLight(from scene: Scene) {
        scene.rootNode.forSubtree { node in
            for part in node.mesh?.parts ?? [] {
                for material in [part.material] + part.alternatives.map(\.material) { material.removeLight() }
            }
        }
    }

    static func triangleCount(of scene: Scene) -> Int {
        var count = 0
        scene.rootNode.forSubtree { count += $0.mesh?.triangleCount ?? 0 }
        return count
    }
}

extension Material {
    /// Keeps base colour, opacity and faces. Viewers that always light surfaces show a matte one.
    fileprivate func removeLight() {
        lightingModel = .constant
        (metalness, roughness, occlusion) = (0.0, 1.0, 1.0)
        (normal, displacement, emission) = (NormalSlot(), DisplacementSlot(), ColorSlot(Vector4(0, 0, 0, 1)))
        (clearcoat, sheen, specular, ior) = (Clearcoat(), Sheen(), Specular(), 1.5)
        (transmission, volume, iridescence, anisotropy) = (Transmission(), Volume(), Iridescence(), Anisotropy())
    }
}
