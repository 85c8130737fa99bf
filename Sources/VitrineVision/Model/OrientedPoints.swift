import VitrineMath

/// A dense point cloud with normals: output of depth fusion and input of meshing. World frame and unit.
package struct OrientedPoints: Sendable {
    /// The positions of the points. Each array has one element per point.
    package var positions: [Vector3]
    /// The normals: unit vectors that point outward.
    package var normals: [Vector3]
    /// The colours: sRGB-encoded red, green, blue; the fourth component is 255.
    package var colors: [SIMD4<UInt8>]
    /// The sampling distances in the world's unit: the distance of a point to the point of the next pixel.
    package var spacings: [Float]
    /// The confidences, 0…1, from the number of consistent photos and their agreement.
    package var confidences: [Float]
    /// The photos that observe point i, as `PhotoView.photo`: `viewIndices[viewOffsets[i]..<viewOffsets[i + 1]]`, first the one whose depth map it is from.
    package var viewOffsets: [Int]
    package var viewIndices: [UInt16]

    package init(
        positions: [Vector3] = [], normals: [Vector3] = [], colors: [SIMD4<UInt8>] = [], spacings: [Float] = [], confidences: [Float] = [],
        viewOffsets: [Int] = [0], viewIndices: [UInt16] = []
    ) {
        (self.positions, self.normals, self.colors, self.spacings, self.confidences) = (positions, normals, colors, spacings, confidences)
        (self.viewOffsets, self.viewIndices) = (viewOffsets, viewIndices)
    }

    package var count: Int { positions.count }

    /// The points with the given indices.
    package func filtered(_ isWanted: (Int) -> Bool) -> OrientedPoints {
        var result = OrientedPoints()
        for index in 0..<count where isWanted(index) {
            result.positions.append(positions[index])
            result.normals.append(normals[index])
            result.colors.append(colors[index])
            result.spacings.append(spacings[index])
            result.confidences.append(confidences[index])
            result.viewIndices += viewIndices[viewOffsets[index]..<viewOffsets[index + 1]]
            result.viewOffsets.append(result.viewIndices.count)
        }
        return result
    }
}
