import VitrineMath
import VitrineScene
import VitrineVision

/// A mesh with texture coordinates and textures. World frame and unit.
package struct TexturedMesh: Sendable {
    /// The positions of the vertices. Each array has one entry per vertex; vertices are split at chart borders.
    package var positions: [Vector3]
    /// The unit normals of the vertices, pointing outward.
    package var normals: [Vector3]
    /// The unit tangents of the vertices, with the handedness in w, as glTF and MikkTSpace (Mikkelsen 2008) define them; nil without a
    /// normal map.
    package var tangents: [Vector4]?
    /// The texture coordinates of the vertices, 0…1; v points down, as in glTF: (0, 0) is the upper left corner of the first pixel.
    package var textureCoordinates: [Vector2]
    /// The triangles as indices of vertices, counter-clockwise viewed from outside, in the order of the mesh's triangles.
    package var triangles: [SIMD3<UInt32>]
    /// The base colour, sRGB-encoded.
    package var baseColor: ColorPlane
    /// Tangent-space normals, 0…255 for −1…1, green up (glTF, OpenGL); linear.
    package var normalMap: ColorPlane?
    /// The cosine-weighted visible share of the sky, linear; 255 if all of it is visible.
    package var occlusion: Plane<UInt8>?
    /// The roughness, 0…255 for 0…1, linear: an estimate from how much the brightness varies with the view.
    package var roughness: Plane<UInt8>?
    package var displacement: DisplacementMap?
    package var statistics: TextureStatistics

    package init(
        positions: [Vector3], normals: [Vector3], tangents: [Vector4]?, textureCoordinates: [Vector2], triangles: [SIMD3<UInt32>],
        baseColor: ColorPlane, normalMap: ColorPlane? = nil, occlusion: Plane<UInt8>? = nil, roughness: Plane<UInt8>? = nil,
        displacement: DisplacementMap? = nil, statistics: TextureStatistics
    ) {
        (self.positions, self.normals, self.tangents) = (positions, normals, tangents)
        (self.textureCoordinates, self.triangles) = (textureCoordinates, triangles)
        (self.baseColor, self.normalMap, self.occlusion, self.roughness) = (baseColor, normalMap, occlusion, roughness)
        (self.displacement, self.statistics) = (displacement, statistics)
    }
}

/// The height of the detailed surface above the mesh along the mesh's interpolated normal.
package struct DisplacementMap: Sendable, Equatable {
    /// The heights, 0…65535 for the values of `range`, linear.
    package var heights: Plane<UInt16>
    /// The range of heights, in the world's unit.
    package var range: ClosedRange<Float>

    package init(heights: Plane<UInt16>, range: ClosedRange<Float>) { (self.heights, self.range) = (heights, range) }

    /// Rescales heights in steps of `unit` with 32,768 as zero to the range that they use.
    init(_ raw: [UInt16], size: Int, unit: Float) {
        let (low, high) = (raw.min() ?? 32768, raw.max() ?? 32768)
        let span = max(1, Float(high) - Float(low))
        let values = raw.map { UInt16(((Float($0) - Float(low)) / span * 65535).rounded()) }
        heights = Plane(width: size, height: size, values: values)
        let bottom = (Float(low) - 32768) * unit
        range = bottom...max(bottom, (Float(high) - 32768) * unit)
    }
}

/// Statistics of the photos and of the texture's area.
package struct TextureStatistics: Sendable, Equatable {
    /// The share (0…1) of the observed surface whose detail comes from each photo, indexed by source.
    package var photoShares: [Float] = []
    /// The gains of red, green and blue, in linear light, that make each photo agree with the others, indexed by source.
    package var photoGains: [Vector3] = []
    /// The sharpness of each photo relative to the others that observe the same surface, indexed by source; below 1 the photo is blurred.
    package var photoSharpness: [Float] = []
    /// The indices of photos that could not be loaded, or that do not observe the mesh.
    package var unusedPhotos: [Int] = []
    /// The share (0…1) of the surface that no photo observes: filled from its surroundings.
    package var unseenShare: Float = 0
    package var chartCount = 0
    /// The share (0…1) of the texture's area that charts cover.
    package var fill: Float = 0
    /// The number of texels per world unit.
    package var texelDensity: Float = 0
    /// The mean over the surface of the larger of a triangle's two stretches, and of the inverse of the smaller: 1 is undistorted.
    package var meanStretch: Float = 1
    /// The light that was divided out of the base colour; nil: none.
    package var shading: ShadingEstimate?
    /// The step and the seconds it took, in order.
    package var seconds: [(step: String, seconds: Double)] = []

    package init() {}

    package static func == (a: TextureStatistics, b: TextureStatistics) -> Bool {
        // Times differ from run to run.
        a.photoShares == b.photoShares && a.photoGains == b.photoGains && a.photoSharpness == b.photoSharpness
            && a.unusedPhotos == b.unusedPhotos && a.unseenShare == b.unseenShare && a.chartCount == b.chartCount && a.fill == b.fill
            && a.texelDensity == b.texelDensity && a.meanStretch == b.meanStretch && a.shading == b.shading
    }
}

extension TexturedMesh {
    /// Tangents by the convention of MikkTSpace. Charts are never mirrored, so that no vertex must be split for them.
    func mikkTangents() -> [Vector4]? {
        let attributes = [
            VertexAttribute(.position, componentCount: 3, values: positions.flatMap { [$0.x, $0.y, $0.z] }),
            VertexAttribute(.normal, componentCount: 3, values: normals.flatMap { [$0.x, $0.y, $0.z] }),
            VertexAttribute(.textureCoordinate(set: 0), componentCount: 2, values: textureCoordinates.flatMap { [$0.x, $0.y] }),
        ]
        let indices = triangles.flatMap { [$0.x, $0.y, $0.z] }
        guard let geometry = try? Geometry(attributes: attributes, indices: indices).withTangents(),
            let tangents = geometry.attribute(.tangent)?.values, tangents.count >= positions.count * 4
        else { return nil }
        // Copies for mirrored triangles, of which there are none with an area, come after the vertices.
        return positions.indices.map { Vector4(tangents[4 * $0], tangents[4 * $0 + 1], tangents[4 * $0 + 2], tangents[4 * $0 + 3]) }
    }
}
