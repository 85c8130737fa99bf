import VitrineMath

/// The conversion of a filled path to a solid.
struct Extrusion {
    private let grid: PlanarGrid
    private let minimum, maximum: SIMD2<Double>
    private let pieces: [FilledRegion.Piece]

    init(_ path: Path, rule: FillRule, flatness: Float?, creaseAngle: Angle) throws(PathError) {
        let flat = try FlatPath(path, flatness: flatness)
        guard !flat.pieces.isEmpty else { throw .noArea }
        let grid = PlanarGrid(minimum: flat.minimum, maximum: flat.maximum)
        let region = try FilledRegion(flat.pieces.map { (grid.point($0.from), grid.point($0.to)) }, rule: rule)
        let crease = Double(cos(clamp(creaseAngle.radians, 0, .pi)))
        pieces = region.pieces(of: flat.pieces, on: grid).map { piece in
            FilledRegion.Piece(loops: piece.loops.map { Extrusion.smoothed($0, crease: crease) })
        }
        guard !pieces.isEmpty else { throw .noArea }
        self.grid = grid
        (minimum, maximum) = (flat.minimum, flat.maximum)
    }

    /// Gives both edges at a shallow corner the same tangent there.
    private static func smoothed(_ loop: FilledRegion.Loop, crease: Double) -> FilledRegion.Loop {
        var result = loop
        for index in loop.indices {
            let before = (index + loop.count - 1) % loop.count
            let (a, b) = (loop[before].endTangent, loop[index].startTangent)
            guard a != b, dot(a, b) > crease else { continue }
            let mean = normalize(a + b)
            (result[before].endTangent, result[index].startTangent) = (mean, mean)
        }
        return result
    }

    // MARK: Building

    /// A piece with its outlines at every step of the bevel.
    private struct Body {
        var outlines: [FilledRegion.Loop]
        /// The positions of the corners, by outline and step.
        var rings: [[[GridPoint]]]
        /// The radius of the bevel in metres.
        var bevelRadius: Double
        /// The front at the bevel's inner edge, and without a bevel.
        var inner, outer: FilledRegion
    }

    func builder(depth: Float, bevel: Bevel) throws(PathError) -> PrimitiveBuilder {
        let depth = Double(PrimitiveBuilder.size(depth))
        let room = bevel.front && bevel.back ? depth / 2 : depth
        let isBevelled = depth > 0 && (bevel.front || bevel.back) && PrimitiveBuilder.size(bevel.radius) > 0
        let radius = isBevelled ? min(Double(bevel.radius), room) : 0
        var bodies: [Body] = []
        for piece in pieces { bodies.append(try body(piece, radius: radius, bevel: bevel)) }
        var builder = PrimitiveBuilder()
        builder.begin(.front)
        for body in bodies { addFace(bevel.front ? body.inner : body.outer, z: depth / 2, isFront: true, to: &builder) }
        guard depth > 0 else { return builder }
        builder.begin(.back)
        for body in bodies { addFace(bevel.back ? body.inner : body.outer, z: -depth / 2, isFront: false, to: &builder) }
        builder.begin(.side)
        for body in bodies { addSide(body, depth: depth, bevel: bevel, to: &builder) }
        builder.begin(.frontBevel)
        for body in bodies where bevel.front { addBevel(body, bevel, z: depth / 2, isFront: true, to: &builder) }
        builder.begin(.backBevel)
        for body in bodies where bevel.back { addBevel(body, bevel, z: -depth / 2, isFront: false, to: &builder) }
        return builder
    }

    // MARK: Bevelling

    private func body(_ piece: FilledRegion.Piece, radius: Double, bevel: Bevel) throws(PathError) -> Body {
        let outer = try Extrusion.region(of: piece.loops.map { loop in loop.map { $0.point } })
        let sharp = Body(outlines: piece.loops, rings: [], bevelRadius: 0, inner: outer, outer: outer)
        guard radius > 0 else { return sharp }
        let (fitting, inner) = Extrusion.fittingInset(piece, radius / grid.step)
        guard let inner else { return sharp }
        let steps = bevel.steps
        var insets = piece.loops.map { OutlineInset($0) }
        var rings: [[[GridPoint]]] = []
        for index in insets.indices {
            var ringsOfLoop: [[GridPoint]] = []
            for step in steps {
                insets[index].advance(to: fitting * step.inset)
                ringsOfLoop.append(insets[index].points(at: fitting * step.inset))
            }
            rings.append(ringsOfLoop)
        }
        return Body(outlines: insets.map { $0.outline }, rings: rings, bevelRadius: fitting * grid.step, inner: inner, outer: outer)
    }

    /// Returns the widest inset up to `wanted` (grid steps) at which the outlines do not intersect, and their interior.
    private static func fittingInset(_ piece: FilledRegion.Piece, _ wanted: Double) -> (Double, FilledRegion?) {
        if let region = region(of: piece, inset: wanted) { return (wanted, region) }
        var (fitting, tooWide) = (0.0, wanted)
        for _ in 0..<12 {
            let middle = (fitting + tooWide) / 2
            if region(of: piece, inset: middle) != nil { fitting = middle } else { tooWide = middle }
        }
        fitting *= 0.95
        guard fitting > 0, let region = region(of: piece, inset: fitting) else { return (0, nil) }
        return (fitting, region)
    }

    /// Returns the interior of a piece's moved outlines; nil if they intersect or vanish.
    private static func region(of piece: FilledRegion.Piece, inset: Double) -> FilledRegion? {
        var loops: [[GridPoint]] = []
        for loop in piece.loops {
            var front = OutlineInset(loop)
            front.advance(to: inset)
            if front.hasVanished { return nil }
            loops.append(front.points(at: inset))
        }
        guard let region = try? region(of: loops), region.isPlain, region.pieceCount > 0 else { return nil }
        return region
    }

    private static func region(of loops: [[GridPoint]]) throws(PathError) -> FilledRegion {
        var edges: [(from: GridPoint, to: GridPoint)] = []
        for loop in loops {
            for index in loop.indices { edges.append((loop[index], loop[(index + 1) % loop.count])) }
        }
        return try FilledRegion(edges, rule: .nonZero)
    }

    // MARK: Surfaces

    private func position(_ point: GridPoint, _ z: Double) -> Vector3 {
        let position = grid.position(point)
        return Vector3(Float(position.x), Float(position.y), Float(z))
    }

    /// Returns the texture coordinates of a point; the texture covers the path's bounds.
    private func coordinate(_ point: GridPoint, isFront: Bool) -> Vector2 {
        let size = pointwiseMax(maximum - minimum, SIMD2(repeating: .leastNormalMagnitude))
        let share = (grid.position(point) - minimum) / size
        return Vector2(Float(clamp(isFront ? share.x : 1 - share.x, 0, 1)), Float(clamp(1 - share.y, 0, 1)))
    }

    private func addFace(_ region: FilledRegion, z: Double, isFront: Bool, to builder: inout PrimitiveBuilder) {
        let base = UInt32(builder.vertexCount)
        let side: Float = isFront ? 1 : -1
        for point in region.triangulation.points {
            builder.add(
                PrimitiveBuilder.Vertex(
                    position: position(point, z), normal: Vector3(0, 0, side), tangent: .right * side,
                    coordinate: coordinate(point, isFront: isFront)))
        }
        for triangle in region.pieceOfTriangle.indices where region.pieceOfTriangle[triangle] >= 0 {
            let (a, b, c) = (
                base + UInt32(region.triangulation.origin[triangle * 3]), base + UInt32(region.triangulation.origin[triangle * 3 + 1]),
                base + UInt32(region.triangulation.origin[triangle * 3 + 2])
            )
            if isFront { builder.addTriangle(a, b, c) } else { builder.addTriangle(a, c, b) }
        }
    }

    private func addSide(_ body: Body, depth: Double, bevel: Bevel, to builder: inout PrimitiveBuilder) {
        let top = depth / 2 - (bevel.front ? body.bevelRadius : 0)
        let bottom = (bevel.back ? body.bevelRadius : 0) - depth / 2
        guard top > bottom else { return }
        for outline in body.outlines {
            var lengths = [0.0]
            for index in outline.indices {
                let next = outline[(index + 1) % outline.count].point
                lengths.append(lengths[index] + length(next.vector - outline[index].point.vector))
            }
            let whole = max(lengths[outline.count], 1)
            for index in outline.indices {
                let next = outline[(index + 1) % outline.count].point
                builder.addGrid(columns: 1, rows: 1) { column, row in
                    let tangent = column == 0 ? outline[index].startTangent : outline[index].endTangent
                    return PrimitiveBuilder.Vertex(
                        position: position(column == 0 ? outline[index].point : next, row == 0 ? top : bottom),
                        normal: Vector3(Float(tangent.y), Float(-tangent.x), 0), tangent: Vector3(Float(tangent.x), Float(tangent.y), 0),
                        coordinate: Vector2(Float(lengths[index + column] / whole), Float(row)))
                }
            }
        }
    }

    /// Adds the bands between the steps of the bevel, seen from outside with the front up.
    private func addBevel(_ body: Body, _ bevel: Bevel, z: Double, isFront: Bool, to builder: inout PrimitiveBuilder) {
        guard body.bevelRadius > 0 else { return }
        let steps = bevel.steps
        let side: Double = isFront ? 1 : -1
        for (outline, rings) in zip(body.outlines, body.rings) {
            for index in outline.indices {
                let next = (index + 1) % outline.count
                builder.addGrid(columns: 1, rows: steps.count - 1) { column, row in
                    let number = isFront ? steps.count - 1 - row : row
                    let step = steps[number]
                    let tangent = column == 0 ? outline[index].startTangent : outline[index].endTangent
                    let point = rings[number][column == 0 ? index : next]
                    let height = z - side * body.bevelRadius * (1 - step.rise)
                    let normal = Vector3(
                        Float(tangent.y) * step.normal.out, Float(-tangent.x) * step.normal.out, Float(side) * step.normal.forward)
                    return PrimitiveBuilder.Vertex(
                        position: position(point, height), normal: normal, tangent: Extrusion.bevelTangent(normal, isFront: isFront),
                        coordinate: coordinate(point, isFront: isFront))
                }
            }
        }
    }

    /// Returns the direction of increasing u of a texture projected along −Z, or on the back along +Z.
    private static func bevelTangent(_ normal: Vector3, isFront: Bool) -> Vector3 {
        let right: Vector3 = isFront ? .right : -.right
        let along = right - normal * dot(normal, right)
        if lengthSquared(along) > 1e-8 { return normalize(along) }
        // For a wall whose normal is parallel to that direction, u increases inwards, up the bevel.
        return Vector3(0, 0, (dot(normal, right) > 0 ? -1 : 1) * (isFront ? 1 : -1))
    }
}
