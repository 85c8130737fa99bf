import VitrineMath

/// Points on a surface with the surface's direction: what the dense stage hands to the meshing stage. World frame and unit.
public struct OrientedPoints: Sendable {
    /// One entry a point in each.
    public var positions: [Vector3]
    /// Unit, outward.
    public var normals: [Vector3]
    /// sRGB-encoded red, green, blue, 255.
    public var colors: [SIMD4<UInt8>]
    /// The distance to the next pixel's point: how fine the sampling is here. World unit.
    public var spacings: [Float]
    /// 0…1: how many photos agree, and how well.
    public var confidences: [Float]
    /// `PhotoView.photo` of those that see point i: `viewIndices[viewOffsets[i]..<viewOffsets[i + 1]]`, the one whose depth map it comes from first.
    public var viewOffsets: [Int]
    public var viewIndices: [UInt16]

    public init(
        positions: [Vector3] = [], normals: [Vector3] = [], colors: [SIMD4<UInt8>] = [], spacings: [Float] = [], confidences: [Float] = [],
        viewOffsets: [Int] = [0], viewIndices: [UInt16] = []
    ) {
        (self.positions, self.normals, self.colors, self.spacings, self.confidences) = (positions, normals, colors, spacings, confidences)
        (self.viewOffsets, self.viewIndices) = (viewOffsets, viewIndices)
    }

    public var count: Int { positions.count }
}
