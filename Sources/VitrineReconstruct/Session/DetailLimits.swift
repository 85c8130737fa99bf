/// The upper limits of a level of detail, and the size at which depth is estimated for it.
package struct DetailLimits: Hashable, Sendable {
    /// The model has fewer triangles than this.
    package let triangles: Int
    /// The textures' sides are at most this, pixels.
    package let textureDimension: Int
    /// The texture maps.
    package let maps: PhotogrammetrySession.Configuration.CustomDetailSpecification.OutputTextureMaps
    /// The file format of textures.
    package let textureFormat: PhotogrammetrySession.Configuration.CustomDetailSpecification.TextureFormat
    /// The longer side of depth maps, pixels. Larger maps show finer relief; the cost grows with the square.
    package let depthDimension: Int
}

extension DetailLimits {
    private typealias Maps = PhotogrammetrySession.Configuration.CustomDetailSpecification.OutputTextureMaps

    /// The limits of `detail`; `.custom` follows `custom`.
    package static func limits(
        of detail: PhotogrammetrySession.Request.Detail, custom: PhotogrammetrySession.Configuration.CustomDetailSpecification
    ) -> DetailLimits {
        let usual: Maps = [.diffuseColor, .normal, .ambientOcclusion]
        switch detail {
        case .preview: return limits(25_000, 1_024, usual, depth: 640)
        case .reduced: return limits(50_000, 2_048, usual, depth: 1_024)
        case .medium: return limits(100_000, 4_096, usual, depth: 1_600)
        case .full: return limits(250_000, 8_192, .all, depth: 2_400)
        case .raw: return limits(30_000_000, 8_192, .diffuseColor, depth: 3_200)
        case .custom:
            return DetailLimits(
                triangles: custom.maximumPolygonCount, textureDimension: custom.maximumTextureDimension.rawValue,
                maps: custom.outputTextureMaps, textureFormat: custom.textureFormat,
                depthDimension: depthDimension(triangles: custom.maximumPolygonCount, texture: custom.maximumTextureDimension.rawValue))
        }
    }

    private static func limits(_ triangles: Int, _ dimension: Int, _ maps: Maps, depth: Int) -> DetailLimits {
        DetailLimits(
            triangles: triangles, textureDimension: dimension, maps: maps, textureFormat: .jpeg(compressionQuality: 0.9),
            depthDimension: depth)
    }

    /// The dimension of the smallest level whose triangles or texture are no fewer.
    private static func depthDimension(triangles: Int, texture: Int) -> Int {
        let levels = [(25_000, 1_024, 640), (50_000, 2_048, 1_024), (100_000, 4_096, 1_600), (250_000, 8_192, 2_400)]
        return levels.first { triangles <= $0.0 && texture <= $0.1 }?.2 ?? 3_200
    }
}
