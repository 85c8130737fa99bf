import VitrineGeometry
import VitrineMath

/// A shape in pieces, for one material each.
///
/// ```swift
/// let shape = Shape.cylinder(radius: 0.3, height: 1)
/// shape.sides                                                  // [.side, .top, .bottom]
/// let drum = Mesh(shape: shape, materials: [red, skin, skin])
/// ```
///
/// `Geometry.cylinder(radius: 0.3, height: 1)` is the same shape in one piece.
public struct Shape: Sendable {
    /// The position of a piece: the front faces +Z, the right +X, the top +Y.
    public enum Side: Equatable, Hashable, Sendable {
        /// Faces one of the six directions.
        case front, right, back, left, top, bottom
        /// All around: of a cylinder, a cone, an extruded path.
        case side
        /// The wall of a hole: of a tube.
        case inside
        /// Between an extruded path's side and its front or back.
        case frontBevel, backBevel
    }

    /// The pieces in the order that each static function documents; pieces without triangles are omitted.
    let parts: [(side: Side, geometry: Geometry)]

    /// The positions of the pieces, in the order that each static function documents. Pieces without triangles are omitted.
    public var sides: [Side] { parts.map { $0.side } }
    /// The geometries of the pieces, in the order of `sides`.
    public var geometries: [Geometry] { parts.map { $0.geometry } }

    /// The first piece of a side; nil if there is none.
    public subscript(side: Side) -> Geometry? { parts.first { $0.side == side }?.geometry }

    /// Bounds of all pieces, local frame, metres.
    public var bounds: BoundingBox { parts.reduce(.empty) { $0.union($1.geometry.bounds) } }
}

extension Mesh {
    /// A mesh with one part for each piece of the shape.
    ///
    /// - Parameter materials: Of the pieces, in their order; repeats from the first if there are fewer. Empty: one new material for all.
    public convenience init(name: String = "", shape: Shape, materials: [Material]) {
        let materials = materials.isEmpty ? [Material()] : materials
        let parts = shape.parts.enumerated().map { MeshPart(geometry: $1.geometry, material: materials[$0 % materials.count]) }
        self.init(name: name, parts: parts)
    }

    /// A mesh with one part for each piece of the shape.
    ///
    /// - Parameter material: Returns the material of a side.
    public convenience init(name: String = "", shape: Shape, material: (Shape.Side) -> Material) {
        self.init(name: name, parts: shape.parts.map { MeshPart(geometry: $0.geometry, material: material($0.side)) })
    }
}

extension Shape {
    /// A box around the origin. Every face shows the whole texture, upright as seen from outside; the top's and bottom's upper edges lie
    /// towards −Z and +Z. Sides: right, left, top, bottom, front, back; a rounding belongs half to each side.
    ///
    /// - Parameters:
    ///   - size: Along x, y, z, metres.
    ///   - chamferRadius: Of rounded edges and corners, metres, inside `size`; held to half the shortest side. 0: sharp.
    ///   - chamferSegments: Facets between the middle of an edge's rounding and a face, at least 1.
    ///   - segments: How often the flat parts are divided along x, y, z, at least 1.
    public static func box(
        size: Vector3 = Vector3(repeating: 1), chamferRadius: Float = 0, chamferSegments: Int = 4, segments: (Int, Int, Int) = (1, 1, 1)
    ) -> Shape {
        PrimitiveBuilder.box(size, chamferRadius, chamferSegments, segments).shape()
    }

    /// A pyramid on the plane y = 0, its tip above the origin. The texture lies on each side as seen from outside, its upper edge's middle
    /// at the tip. Sides: front, right, back, left, bottom.
    ///
    /// - Parameters:
    ///   - size: Width along x, height along y, length along z, metres.
    ///   - segments: How often each side is divided, across and from the tip to the base, at least 1.
    public static func pyramid(size: Vector3 = Vector3(repeating: 1), segments: (Int, Int) = (1, 1)) -> Shape {
        PrimitiveBuilder.pyramid(size, segments).shape()
    }
}

extension Geometry {
    /// `Shape.box` in one piece: every face shows the whole texture, upright as seen from outside; the top's and bottom's upper edges lie
    /// towards −Z and +Z.
    ///
    /// - Parameters:
    ///   - size: Along x, y, z, metres.
    ///   - chamferRadius: Of rounded edges and corners, metres, inside `size`; held to half the shortest side. 0: sharp.
    ///   - chamferSegments: Facets between the middle of an edge's rounding and a face, at least 1.
    ///   - segments: How often the flat parts are divided along x, y, z, at least 1.
    public static func box(
        size: Vector3 = Vector3(repeating: 1), chamferRadius: Float = 0, chamferSegments: Int = 4, segments: (Int, Int, Int) = (1, 1, 1)
    ) -> Geometry {
        // A radius of half a side leaves no room between the roundings.
        PrimitiveBuilder.box(size, chamferRadius, chamferSegments, segments).geometry(droppingDegenerate: true)
    }

    /// `Shape.pyramid` in one piece: on the plane y = 0, its tip above the origin.
    ///
    /// - Parameters:
    ///   - size: Width along x, height along y, length along z, metres.
    ///   - segments: How often each side is divided, across and from the tip to the base, at least 1.
    public static func pyramid(size: Vector3 = Vector3(repeating: 1), segments: (Int, Int) = (1, 1)) -> Geometry {
        PrimitiveBuilder.pyramid(size, segments).geometry(droppingDegenerate: true)
    }
}

extension PrimitiveBuilder {
    fileprivate static func box(_ asked: Vector3, _ chamferRadius: Float, _ chamferSegments: Int, _ segments: (Int, Int, Int)) -> Self {
        var builder = PrimitiveBuilder()
        let size = Vector3(PrimitiveBuilder.size(asked.x), PrimitiveBuilder.size(asked.y), PrimitiveBuilder.size(asked.z))
        let radius = min(PrimitiveBuilder.size(chamferRadius), size.min() / 2)
        // For each face: the directions of u, of −v, and outwards.
        let faces: [(side: Shape.Side, right: Vector3, up: Vector3, out: Vector3)] = [
            (.right, Vector3(0, 0, -1), .up, .right), (.left, Vector3(0, 0, 1), .up, -.right),
            (.top, .right, Vector3(0, 0, -1), .up), (.bottom, .right, Vector3(0, 0, 1), -.up),
            (.front, .right, .up, Vector3(0, 0, 1)), (.back, -.right, .up, Vector3(0, 0, -1)),
        ]
        func cuts(along direction: Vector3) -> [(side: Float, slope: Float)] {
            let count = direction.x != 0 ? segments.0 : direction.y != 0 ? segments.1 : segments.2
            return boxCuts(isRounded: radius > 0, rounding: self.count(chamferSegments), flat: self.count(count))
        }
        for (side, right, up, out) in faces {
            builder.begin(side)
            let inner = size / 2 - radius
            let (columns, rows) = (cuts(along: right), cuts(along: up))
            builder.addGrid(columns: columns.count - 1, rows: rows.count - 1) { column, row in
                let (a, b) = (columns[column], rows[rows.count - 1 - row])
                let normal = normalize(right * a.slope + up * b.slope + out)
                let position = (right * a.side + up * b.side + out) * inner + normal * radius
                let extent = Vector2(dot(right.magnitudes, size), dot(up.magnitudes, size))
                let along = Vector2(dot(position, right), dot(position, up))
                let uv = Vector2(
                    fraction(along.x, extent.x, else: Float(column) / Float(columns.count - 1)),
                    fraction(-along.y, extent.y, else: Float(row) / Float(rows.count - 1)))
                // The texture is laid on along −out: where u grows and v stays, the surface leads to the right, and in or out.
                let tangent = normalize(right - out * (dot(normal, right) / dot(normal, out)))
                return Vertex(position: position, normal: normal, tangent: tangent, coordinate: uv)
            }
        }
        return builder
    }

    /// Where `value` lies in −extent/2 … extent/2, as 0…1.
    private static func fraction(_ value: Float, _ extent: Float, else flat: Float) -> Float { extent > 0 ? value / extent + 0.5 : flat }

    /// The lines that cut a face, from one side to the other: how far towards the inner edges, −1…1, and how far the normal leans.
    private static func boxCuts(isRounded: Bool, rounding: Int, flat: Int) -> [(side: Float, slope: Float)] {
        let between = (1..<max(flat, 1)).map { (side: Float($0) / Float(flat) * 2 - 1, slope: Float(0)) }
        guard isRounded else { return [(-1, 0)] + between + [(1, 0)] }
        // Neighbouring faces meet in the middle of the rounding, where the normal leans by 45°.
        let leans = (0...rounding).map { tan(Float.pi / 4 * Float($0) / Float(rounding)) }
        return leans.reversed().map { (-1, -$0) } + between + leans.map { (1, $0) }
    }

    fileprivate static func pyramid(_ asked: Vector3, _ segments: (Int, Int)) -> Self {
        var builder = PrimitiveBuilder()
        let size = Vector3(PrimitiveBuilder.size(asked.x), PrimitiveBuilder.size(asked.y), PrimitiveBuilder.size(asked.z))
        let (columns, rows) = (count(segments.0), count(segments.1))
        let back = Vector3(0, 0, -1)
        let sides: [(Shape.Side, Vector3)] = [(.front, -back), (.right, .right), (.back, back), (.left, -.right)]
        for (side, out) in sides {
            builder.begin(side)
            let right = cross(.up, out)
            let (halfWidth, reach) = (dot(right.magnitudes, size) / 2, dot(out.magnitudes, size) / 2)
            let slope = normalize(out * size.y + Vector3.up * reach)
            let normal = slope == Vector3(repeating: 0) ? .up : slope
            builder.addGrid(columns: columns, rows: rows) { column, row in
                let (across, down) = (Float(column) / Float(columns) * 2 - 1, Float(row) / Float(rows))
                let position = right * (across * halfWidth * down) + out * (reach * down) + Vector3(0, size.y * (1 - down), 0)
                return Vertex(position: position, normal: normal, tangent: right, coordinate: Vector2(0.5 + across / 2 * down, down))
            }
        }
        builder.begin(.bottom)
        builder.addGrid(columns: columns, rows: columns) { column, row in
            let (across, down) = (Float(column) / Float(columns) * 2 - 1, Float(row) / Float(columns) * 2 - 1)
            return Vertex(
                position: Vector3(across * size.x / 2, 0, -down * size.z / 2), normal: -.up, tangent: .right,
                coordinate: Vector2(across / 2 + 0.5, down / 2 + 0.5))
        }
        return builder
    }
}

// Shapes about the y axis. The texture goes once around their side, its middle towards +Z and its seam towards −Z; on a top it lies upright
// from above when −Z is up, on a bottom upright from below when +Z is up.

extension Shape {
    /// A cone or a part of one, its middle in the origin. Sides: side, top, bottom.
    ///
    /// - Parameters:
    ///   - topRadius: Metres; 0: a tip.
    ///   - bottomRadius: Metres.
    ///   - height: Along y, metres.
    ///   - segments: Around, at least 3. heightSegments: From top to bottom, at least 1.
    ///   - isCapped: Top and bottom are closed.
    public static func cone(
        topRadius: Float = 0, bottomRadius: Float = 0.5, height: Float = 1, segments: Int = 48, heightSegments: Int = 1,
        isCapped: Bool = true
    ) -> Shape {
        PrimitiveBuilder.cone(topRadius, bottomRadius, height, segments, heightSegments, isCapped).shape()
    }

    /// A cylinder, its middle in the origin. Sides: side, top, bottom.
    ///
    /// - Parameters:
    ///   - radius: Metres. height: Along y, metres.
    ///   - segments: Around, at least 3. heightSegments: From top to bottom, at least 1.
    ///   - isCapped: Top and bottom are closed.
    public static func cylinder(
        radius: Float = 0.5, height: Float = 1, segments: Int = 48, heightSegments: Int = 1, isCapped: Bool = true
    ) -> Shape {
        PrimitiveBuilder.cone(radius, radius, height, segments, heightSegments, isCapped).shape()
    }

    /// A pipe, its middle in the origin. Sides: side, inside, top, bottom.
    ///
    /// - Parameters:
    ///   - innerRadius: Of the hole, metres, at most `outerRadius`. outerRadius: Metres. height: Along y, metres.
    ///   - segments: Around, at least 3. heightSegments: From top to bottom, at least 1.
    public static func tube(
        innerRadius: Float = 0.25, outerRadius: Float = 0.5, height: Float = 1, segments: Int = 48, heightSegments: Int = 1
    ) -> Shape {
        PrimitiveBuilder.tube(innerRadius, outerRadius, height, segments, heightSegments).shape()
    }
}

extension Geometry {
    /// `Shape.cone` in one piece: a cone or a part of one, its middle in the origin.
    ///
    /// - Parameters:
    ///   - topRadius: Metres; 0: a tip.
    ///   - bottomRadius: Metres.
    ///   - height: Along y, metres.
    ///   - segments: Around, at least 3. heightSegments: From top to bottom, at least 1.
    ///   - isCapped: Top and bottom are closed.
    public static func cone(
        topRadius: Float = 0, bottomRadius: Float = 0.5, height: Float = 1, segments: Int = 48, heightSegments: Int = 1,
        isCapped: Bool = true
    ) -> Geometry {
        PrimitiveBuilder.cone(topRadius, bottomRadius, height, segments, heightSegments, isCapped).geometry(droppingDegenerate: true)
    }

    /// `Shape.cylinder` in one piece: its middle in the origin.
    ///
    /// - Parameters:
    ///   - radius: Metres. height: Along y, metres.
    ///   - segments: Around, at least 3. heightSegments: From top to bottom, at least 1.
    ///   - isCapped: Top and bottom are closed.
    public static func cylinder(
        radius: Float = 0.5, height: Float = 1, segments: Int = 48, heightSegments: Int = 1, isCapped: Bool = true
    ) -> Geometry {
        PrimitiveBuilder.cone(radius, radius, height, segments, heightSegments, isCapped).geometry(droppingDegenerate: true)
    }

    /// `Shape.tube` in one piece: a pipe, its middle in the origin.
    ///
    /// - Parameters:
    ///   - innerRadius: Of the hole, metres, at most `outerRadius`. outerRadius: Metres. height: Along y, metres.
    ///   - segments: Around, at least 3. heightSegments: From top to bottom, at least 1.
    public static func tube(
        innerRadius: Float = 0.25, outerRadius: Float = 0.5, height: Float = 1, segments: Int = 48, heightSegments: Int = 1
    ) -> Geometry {
        PrimitiveBuilder.tube(innerRadius, outerRadius, height, segments, heightSegments).geometry(droppingDegenerate: true)
    }

    /// A cylinder with half a ball at each end, its middle in the origin. The texture covers it from pole to pole, evenly along the outline.
    ///
    /// - Parameters:
    ///   - radius: Metres.
    ///   - height: Along y from pole to pole, metres; at least twice the radius.
    ///   - segments: Around, at least 3. capSegments: From a pole to the cylinder, at least 1. heightSegments: Of the cylinder, at least 1.
    public static func capsule(
        radius: Float = 0.5, height: Float = 2, segments: Int = 48, capSegments: Int = 12, heightSegments: Int = 1
    ) -> Geometry {
        PrimitiveBuilder.capsule(radius, height, segments, capSegments, heightSegments).geometry(droppingDegenerate: true)
    }

    /// A ring about the y axis, its middle in the origin. The texture goes once around the axis, and once around the pipe from its inner
    /// edge over the top.
    ///
    /// - Parameters:
    ///   - ringRadius: From the axis to the pipe's middle, metres.
    ///   - pipeRadius: Metres; at most `ringRadius`.
    ///   - ringSegments: Around the axis, at least 3. pipeSegments: Around the pipe, at least 3.
    public static func torus(ringRadius: Float = 0.5, pipeRadius: Float = 0.25, ringSegments: Int = 48, pipeSegments: Int = 24) -> Geometry
    {
        PrimitiveBuilder.torus(ringRadius, pipeRadius, ringSegments, pipeSegments).geometry(droppingDegenerate: true)
    }
}

extension PrimitiveBuilder {
    fileprivate static func cone(
        _ topRadius: Float, _ bottomRadius: Float, _ height: Float, _ segments: Int, _ heightSegments: Int, _ isCapped: Bool
    ) -> Self {
        var builder = PrimitiveBuilder()
        let (top, bottom, height) = (size(topRadius), size(bottomRadius), size(height))
        let segments = count(segments, atLeast: 3)
        builder.begin(.side)
        builder.addRevolution(
            straightProfile((top, height / 2), (bottom, -height / 2), count(heightSegments)), segments: segments)
        guard isCapped else { return builder }
        builder.begin(.top)
        builder.addCap(radius: top, height: height / 2, segments: segments, facesUp: true)
        builder.begin(.bottom)
        builder.addCap(radius: bottom, height: -height / 2, segments: segments, facesUp: false)
        return builder
    }

    fileprivate static func tube(
        _ innerRadius: Float, _ outerRadius: Float, _ height: Float, _ segments: Int, _ heightSegments: Int
    ) -> Self {
        var builder = PrimitiveBuilder()
        let (outer, height) = (size(outerRadius), size(height))
        let inner = min(size(innerRadius), outer)
        let (segments, rows) = (count(segments, atLeast: 3), count(heightSegments))
        builder.begin(.side)
        builder.addRevolution(straightProfile((outer, height / 2), (outer, -height / 2), rows), segments: segments)
        builder.begin(.inside)
        builder.addRevolution(
            straightProfile((inner, height / 2), (inner, -height / 2), rows, facesAxis: true), segments: segments, facesAxis: true)
        builder.begin(.top)
        builder.addCap(radius: outer, innerRadius: inner, height: height / 2, segments: segments, facesUp: true)
        builder.begin(.bottom)
        builder.addCap(radius: outer, innerRadius: inner, height: -height / 2, segments: segments, facesUp: false)
        return builder
    }

    /// A straight line from the top to the bottom, each a radius and a height.
    private static func straightProfile(
        _ top: (radius: Float, height: Float), _ bottom: (radius: Float, height: Float), _ rows: Int, facesAxis: Bool = false
    ) -> [ProfilePoint] {
        let slope = normalize(Vector2(top.height - bottom.height, bottom.radius - top.radius))
        let normal = slope == Vector2(0, 0) ? Vector2(1, 0) : slope
        return (0...rows).map { row in
            let t = Float(row) / Float(rows)
            // Both ends exactly as given: caps meet them.
            let radius = row == rows ? bottom.radius : top.radius + (bottom.radius - top.radius) * t
            let height = row == rows ? bottom.height : top.height + (bottom.height - top.height) * t
            return ProfilePoint(radius: radius, height: height, normal: facesAxis ? -normal : normal, v: t)
        }
    }

    fileprivate static func capsule(
        _ radius: Float, _ height: Float, _ segments: Int, _ capSegments: Int, _ heightSegments: Int
    ) -> Self {
        var builder = PrimitiveBuilder()
        let radius = size(radius)
        let straight = max(size(height) - 2 * radius, 0)
        let outline = .pi * radius + straight
        let (capRows, rows) = (count(capSegments), count(heightSegments))
        let cap = (0...capRows).map { row in
            let angle = Float.pi / 2 * Float(row) / Float(capRows)
            let (sine, cosine) = row == 0 ? (0, 1) : row == capRows ? (1, 0) : (sin(angle), cos(angle))
            return ProfilePoint(
                radius: radius * sine, height: straight / 2 + radius * cosine, normal: Vector2(sine, cosine),
                v: outline > 0 ? angle * radius / outline : 0)
        }
        let middle = (1..<max(rows, 1)).map { row in
            let t = Float(row) / Float(rows)
            return ProfilePoint(
                radius: radius, height: straight * (0.5 - t), normal: Vector2(1, 0),
                v: outline > 0 ? (.pi / 2 * radius + straight * t) / outline : 0)
        }
        let lower = cap.reversed().map {
            ProfilePoint(radius: $0.radius, height: -$0.height, normal: Vector2($0.normal.x, -$0.normal.y), v: 1 - $0.v)
        }
        builder.addRevolution(cap + (straight > 0 ? middle + lower : Array(lower.dropFirst())), segments: count(segments, atLeast: 3))
        return builder
    }

    fileprivate static func torus(_ ringRadius: Float, _ pipeRadius: Float, _ ringSegments: Int, _ pipeSegments: Int) -> Self {
        var builder = PrimitiveBuilder()
        let ring = size(ringRadius)
        let pipe = min(size(pipeRadius), ring)
        let rows = count(pipeSegments, atLeast: 3)
        let profile = (0...rows).map { row in
            // From the inner edge over the top to the outer edge and back below; the last row lies exactly on the first.
            let angle = (0.5 - Float(row % rows) / Float(rows)) * 2 * .pi
            let normal = row % rows == 0 ? Vector2(-1, 0) : Vector2(cos(angle), sin(angle))
            return ProfilePoint(
                radius: ring + normal.x * pipe, height: normal.y * pipe, normal: normal, v: Float(row) / Float(rows))
        }
        builder.addRevolution(profile, segments: count(ringSegments, atLeast: 3))
        return builder
    }
}
