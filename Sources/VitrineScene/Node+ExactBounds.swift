import VitrineGeometry

extension Node {
    /// The box around everything that this node and those below it show, as they are posed now, world frame, metres; hidden ones too. Empty
    /// when they show nothing.
    ///
    /// Exact: a rotated mesh counts by its vertices, not by the corners of its own box. Linear in the number of vertices of rotated, morphed
    /// and skinned meshes; `NodeStore.worldBounds` has boxes for culling, which may be larger.
    public var worldBounds: BoundingBox {
        var box = BoundingBox.empty
        forSubtree { $0.addExactWorldBounds(to: &box) }
        return box
    }

    /// Adds the box around the node's own mesh.
    func addExactWorldBounds(to box: inout BoundingBox) {
        guard let mesh else { return }
        let isDeformed = deforms
        let world = worldTransform
        // A box that is never too small, and adds nothing, spares the vertices.
        let quick = isDeformed ? deformedWorldBounds : mesh.bounds.transformed(by: world)
        guard !quick.isEmpty, !box.contains(quick) else { return }
        if !isDeformed, world.keepsAxes { return box.formUnion(quick) }
        for part in mesh.parts {
            if isDeformed, let surface = DeformedSurface(node: self, geometry: part.geometry) {
                for position in surface.positions { box.formUnion(position) }
            } else if world.keepsAxes {
                box.formUnion(part.geometry.bounds.transformed(by: world))
            } else {
                part.geometry.addBounds(transformedBy: world, to: &box)
            }
        }
    }
}

extension Geometry {
    /// Adds the box around the transformed vertices.
    fileprivate func addBounds(transformedBy matrix: Matrix4, to box: inout BoundingBox) {
        guard let positions = attribute(.position)?.values, !box.contains(bounds.transformed(by: matrix)) else { return }
        positions.withUnsafeBufferPointer { values in
            for base in stride(from: 0, to: values.count - 2, by: 3) {
                box.formUnion(matrix.transform(point: Vector3(values[base], values[base + 1], values[base + 2])))
            }
        }
    }
}

extension Matrix4 {
    /// Whether the images of the axes are parallel to the axes, so that the image of a box is a box.
    fileprivate var keepsAxes: Bool {
        [x.xyz, y.xyz, z.xyz].allSatisfy { axis in (axis.x != 0 ? 1 : 0) + (axis.y != 0 ? 1 : 0) + (axis.z != 0 ? 1 : 0) <= 1 }
    }
}

extension BoundingBox {
    /// Whether the other box lies inside this one.
    fileprivate func contains(_ other: BoundingBox) -> Bool { contains(other.minimum) && contains(other.maximum) }
}
