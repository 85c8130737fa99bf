import Vitrine
import VitrineFiles

/// The model of a page.
@MainActor
enum WebModel {
    struct Textures {
        /// The maximum of the longest side in pixels.
        var side = 2048
        var format = OptimizeOptions.TextureFormat.webp
        /// 1…100.
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

    static func triangleCount(of scene: Scene) -> Int {
        var count = 0
        scene.rootNode.forSubtree { count += $0.mesh?.triangleCount ?? 0 }
        return count
    }
}
