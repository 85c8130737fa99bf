import VitrineGeometry

extension Node {
    /// Whether joints or morph targets deform the node's mesh.
    var deforms: Bool {
        guard let mesh else { return false }
        return skin != nil || mesh.morphTargetCount > 0
    }

    /// The morph weights in effect: those of the node, or of its mesh if the node has none.
    public var effectiveMorphWeights: [Float] { morphWeights.isEmpty ? mesh?.morphWeights ?? [] : morphWeights }

    /// Returns the bounds of all positions that the node's mesh can have with its current morph weights and joints; local frame for a mesh without skin.
    private func morphedBounds(of geometry: Geometry) -> BoundingBox {
        geometry.bounds.extended(by: geometry.morphReach(weights: effectiveMorphWeights))
    }

    /// The bounds in the world of a node that `deforms`: fast to compute, never too small. A skinned point is a weighted mean of its images under
    /// the joints that influence it, so it lies inside the box around each joint's image of the points that the joint influences.
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
    /// Returns the box around all sums of a point of this box and a point of `reach`.
    func extended(by reach: BoundingBox) -> BoundingBox {
        isEmpty || reach.isEmpty ? self : BoundingBox(minimum: minimum + reach.minimum, maximum: maximum + reach.maximum)
    }
}

extension Node {
    /// The bounds of this node and its descendants in their current pose, in metres in the world frame, including hidden nodes. Empty without
    /// meshes.
    ///
    /// Exact: a rotated mesh counts by its vertices, not by the corners of its box. Linear in the number of vertices of rotated, morphed and skinned
    /// meshes; `NodeStore.worldBounds` has boxes for culling, which may be larger.
    /// and skinned meshes; `NodeStore.worldBounds` has boxes for culling, which may be larger.
    public var worldBounds: BoundingBox {
        var box = BoundingBox.empty
        forSubtree { $0.addExactWorldBounds(to: &box) }
        return box
    }

    /// Extends the box by the node's mesh.
    func addExactWorldBounds(to box: inout BoundingBox) {
        guard let mesh else { return }
        let isDeformed = deforms
        let world = worldTransform
        // A conservative box inside the current one extends nothing: the vertices are not needed.
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
    /// Extends the box by the transformed vertices.
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
    /// Whether the matrix maps axes to axes, so that the image of a box is a box.
    fileprivate var keepsAxes: Bool {
        [x.xyz, y.xyz, z.xyz].allSatisfy { axis in (axis.x != 0 ? 1 : 0) + (axis.y != 0 ? 1 : 0) + (axis.z != 0 ? 1 : 0) <= 1 }
    }
}

extension BoundingBox {
    /// Returns whether the other box is inside this one.
    fileprivate func contains(_ other: BoundingBox) -> Bool { contains(other.minimum) && contains(other.maximum) }
}

extension Node {
    /// Creates a level floor that shows only shadows (`Material.isShadowReceiver`), just below `bounds`. Shadows fade out without a visible edge: from
    /// 0.6 to 2.5 times the radius of `bounds` around the centre, and towards the edges of the image.
    ///
    /// ```swift
    /// scene.rootNode.addChildNode(.shadowReceiver(under: scene.bounds))
    /// ```
    public static func shadowReceiver(under bounds: BoundingBox) -> Node {
        let material = Material(name: "shadow receiver")
        material.isShadowReceiver = true
        let radius = max(bounds.radius, 1e-4)
        let disc = Geometry.disc(radius: 2.5 * radius, segments: 48, rings: 24)
        var colors: [Float] = []
        for attribute in disc.attributes where attribute.semantic == .position {
            for vertex in 0..<attribute.vertexCount {
                let offset = Vector2(attribute.values[3 * vertex], attribute.values[3 * vertex + 1])
                colors += [1, 1, 1, 1 - smoothstep(0.6 * radius, 2.5 * radius, length(offset))]
            }
        }
        let faded = try? Geometry(
            topology: disc.topology, attributes: disc.attributes + [VertexAttribute(.color(set: 0), componentCount: 4, values: colors)],
            indices: disc.indices)
        let node = Node(name: "shadow receiver", mesh: Mesh(geometry: faded ?? disc, material: material))
        node.castsShadow = false
        node.orientation = Quaternion(angle: .degrees(-90), axis: .right)
        let center = bounds.center
        node.position = Vector3(center.x, bounds.isEmpty ? 0 : bounds.minimum.y, center.z)
        return node
    }
}
