import VitrineMath
import VitrineVision

/// Computes texture coordinates for a mesh, and textures from photos.
///
/// ```swift
/// let textured = try TextureBuilder(.reduced).build(mesh: mesh, detailed: scan, photos: PhotoViewSource(views))
/// textured.baseColor   // 2,048 × 2,048
/// ```
package struct TextureBuilder: Sendable {
    /// The texture maps in addition to the base colour.
    package struct Maps: OptionSet, Sendable {
        package let rawValue: Int
        package init(rawValue: Int) { self.rawValue = rawValue }
        package static let normal = Maps(rawValue: 1)
        package static let occlusion = Maps(rawValue: 2)
        package static let roughness = Maps(rawValue: 4)
        package static let displacement = Maps(rawValue: 8)
        package static let all: Maps = [.normal, .occlusion, .roughness, .displacement]
    }

    package struct Options: Sendable, Equatable {
        /// The textures' width and height: 1,024, 2,048, 4,096, 8,192 or 16,384. Default 2,048.
        package var textureSize = 2048
        /// Default normal and occlusion.
        package var maps: Maps = [.normal, .occlusion]
        /// The smallest distance between charts, in texels, so that mip levels do not mix them; 2…64, default 4.
        package var padding = 4
        /// Whether the photos' exposures and white balances are compensated. Default true.
        package var compensatesExposure = true
        /// Whether the photos' shading is estimated and divided out of the base colour. Default false.
        package var removesShading = false
        /// The memory for photos that are needed again, in bytes. The result does not depend on it. Default 256 MiB.
        package var cacheBytes = 256 << 20
        /// The number of texels that are painted at a time, in at least 64 rows. The result does not depend on it. Default 4 million.
        package var bandTexels = 1 << 22

        package init(textureSize: Int = 2048, maps: Maps = [.normal, .occlusion]) { (self.textureSize, self.maps) = (textureSize, maps) }

        package static var preview: Options { Options(textureSize: 1024) }
        package static var reduced: Options { Options(textureSize: 2048) }
        package static var medium: Options { Options(textureSize: 4096) }
        package static var full: Options { Options(textureSize: 8192, maps: .all) }
        package static var raw: Options { Options(textureSize: 8192, maps: []) }

        func validate() throws(TextureError) {
            guard [1024, 2048, 4096, 8192, 16384].contains(textureSize) else {
                throw .invalidOption(name: "textureSize", reason: "\(textureSize) is not one of 1024, 2048, 4096, 8192, 16384")
            }
            guard (2...64).contains(padding) else { throw .invalidOption(name: "padding", reason: "\(padding) is outside of 2...64") }
        }
    }

    package let options: Options

    package init(_ options: Options = Options()) { self.options = options }

    /// Makes the textures of a mesh from photos.
    ///
    /// - Parameters:
    ///   - mesh: Its triangles stay unchanged, in their order.
    ///   - detailed: The same surface before it was simplified: normals and heights are baked from it. nil: from `mesh` itself.
    ///   - photos: Without lens distortion; masked pixels have no colour.
    /// - Throws: `TextureError`.
    package func build(
        mesh: TriangleMesh, detailed: TriangleMesh? = nil, photos: PhotoViewSource, in context: StageContext = StageContext()
    ) throws(TextureError) -> TexturedMesh {
        try options.validate()
        let job = try TextureJob(options, mesh, photos, context)
        return try job.run(detailed: detailed)
    }

    /// The plan of the pages of `build`'s result, which may be painted by several processes.
    package func plan(mesh: TriangleMesh, photos: PhotoViewSource, in context: StageContext = StageContext()) throws(TextureError)
        -> TexturePlan
    {
        try options.validate()
        var clock = StepClock()
        return try TextureJob(options, mesh, photos, context).plan(&clock)
    }

    /// Paints rows of the textures.
    package func page(
        _ rows: Range<Int>, of plan: TexturePlan, mesh: TriangleMesh, detailed: TriangleMesh? = nil, photos: PhotoViewSource,
        in context: StageContext = StageContext()
    ) throws(TextureError) -> TexturePage {
        try TextureJob(options, mesh, photos, context).page(rows, of: plan, detailed: detailed)
    }

    /// The result of `build` from its plan and a page of all rows.
    package func mesh(
        _ page: consuming TexturePage, of plan: TexturePlan, mesh: TriangleMesh, in context: StageContext = StageContext()
    ) throws(TextureError) -> TexturedMesh {
        try TextureJob(options, mesh, PhotoViewSource([]), context).mesh(page, of: plan)
    }
}
