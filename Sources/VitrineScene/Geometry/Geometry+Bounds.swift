import VitrineGeometry

extension Geometry {
    /// Bounds of packed positions, three floats each; ignores NaN.
    static func bounds(of positions: [Float]) -> BoundingBox {
        var box = BoundingBox.empty
        positions.withUnsafeBufferPointer { values in
            for base in stride(from: 0, to: values.count - 2, by: 3) {
                box.formUnion(Vector3(values[base], values[base + 1], values[base + 2]))
            }
        }
        return box
    }

    /// Maximum joint index for which bounds are stored, because files may contain any index.
    private static let greatestJoint: Float = 65_535

    /// By joint, the bounds of the vertices that it influences; empty without joints.
    static func jointBounds(attributes: [VertexAttribute], positions: [Float]) -> [BoundingBox] {
        var result: [BoundingBox] = []
        for joints in attributes {
            guard case .joints(let set) = joints.semantic else { continue }
            guard let weights = attributes.first(where: { $0.semantic == .weights(set: set) }) else { continue }
            for index in weights.values.indices where weights.values[index] > 0 {
                let number = joints.values[index]
                guard number >= 0, number <= greatestJoint else { continue }
                let joint = Int(number)
                while result.count <= joint { result.append(.empty) }
                let base = index / 4 * 3
                result[joint].formUnion(Vector3(positions[base], positions[base + 1], positions[base + 2]))
            }
        }
        return result
    }

    /// The box of all displacements that the morph targets can add with these weights.
    func morphReach(weights: [Float]) -> BoundingBox {
        var reach = BoundingBox(minimum: Vector3(repeating: 0), maximum: Vector3(repeating: 0))
        for (index, weight) in weights.enumerated() where index < morphBounds.count && !morphBounds[index].isEmpty {
            let (a, b) = (morphBounds[index].minimum * weight, morphBounds[index].maximum * weight)
            reach.minimum += pointwiseMin(a, b)
            reach.maximum += pointwiseMax(a, b)
        }
        return reach
    }
}
