import VitrineGeometry

extension Node {
    /// Whether joints or morph targets change the shape of what the node shows.
    var deforms: Bool {
        guard let mesh else { return false }
        return skin != nil || mesh.morphTargetCount > 0
    }

    /// The weights in force: the node's own, else its mesh's.
    public var effectiveMorphWeights: [Float] { morphWeights.isEmpty ? mesh?.morphWeights ?? [] : morphWeights }

    /// Around everything that the node's own mesh, morphed and skinned as it is now, can reach; local frame for a mesh without skin.
    private func morphedBounds(of geometry: Geometry) -> BoundingBox {
        geometry.bounds.extended(by: geometry.morphReach(weights: effectiveMorphWeights))
    }

    /// World bounds of a node that `deforms`, quick to compute and never too small. A skinned point is a weighted mean of its images under the joints that pull at it, so it
    /// lies inside the box around each joint's image of the points that the joint pulls at.
    var deformedWorldBounds: BoundingBox {
        guard let mesh else { return .empty }
        let world = worldTransform
        let joints = skin?.jointMatrices() ?? []
        var box = BoundingBox.empty
        for part in mesh.parts {
            let geometry = part.geometry
            guard skin != nil, !geometry.jointBounds.isEmpty else {
                box.formUnion(morphedBounds(of: geometry).transformed(by: world))
                continue
            }
            let reach = geometry.morphReach(weights: effectiveMorphWeights)
            for (index, bounds) in geometry.jointBounds.enumerated() where index < joints.count && !bounds.isEmpty {
                box.formUnion(bounds.extended(by: reach).transformed(by: joints[index]))
            }
        }
        return box
    }
}

extension BoundingBox {
    /// The box around all sums of a point of this box and a point of `reach`.
    func extended(by reach: BoundingBox) -> BoundingBox {
        isEmpty || reach.isEmpty ? self : BoundingBox(minimum: minimum + reach.minimum, maximum: maximum + reach.maximum)
    }
}
