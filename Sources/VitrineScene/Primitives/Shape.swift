import VitrineGeometry
import VitrineMath

/// A shape in pieces, each of which can have its own material.
///
/// ```swift
/// let shape = Shape.cylinder(radius: 0.3, height: 1)
/// shape.sides                                                  // [.side, .top, .bottom]
/// let drum = Mesh(shape: shape, materials: [red, skin, skin])
/// ```
///
/// `Geometry.cylinder(radius: 0.3, height: 1)` is the same shape as one geometry.
public struct Shape: Sendable {
    /// The side of a shape on which a piece lies: the front faces +Z, the right +X, the top +Y.
    public enum Side: Equatable, Hashable, Sendable {
        /// A face towards one of the six directions.
        case front, right, back, left, top, bottom
        /// The lateral surface of a cylinder, a cone or an extruded path.
        case side
        /// The wall of a hole, such as that of a tube.
        case inside
        /// The bevel between an extruded path's side and its front or back.
        case frontBevel, backBevel
    }

    /// The pieces in the order that each static function documents; pieces without triangles are omitted.
    let parts: [(side: Side, geometry: Geometry)]

    /// The positions of the pieces, in the order that each static function documents. Pieces without triangles are omitted.
    public var sides: [Side] { parts.map { $0.side } }
    /// The geometries of the pieces, in the order of `sides`.
    public var geometries: [Geometry] { parts.map { $0.geometry } }

    /// Returns the first piece of a side; nil if there is none.
    public subscript(side: Side) -> Geometry? { parts.first { $0.side == side }?.geometry }

    /// The bounds of all pieces in metres in the local frame.
    public var bounds: BoundingBox { parts.reduce(.empty) { $0.union($1.geometry.bounds) } }
}

extension Mesh {
    /// Creates a mesh with one part for each piece of the shape.
    ///
    /// - Parameter materials: The materials of the pieces, in their order; repeated if there are fewer. If empty, all pieces get one new material.
    public convenience init(name: String = "", shape: Shape, materials: [Material]) {
        let materials = materials.isEmpty ? [Material()] : materials
        let parts = shape.parts.enumerated().map { MeshPart(geometry: $1.geometry, material: materials[$0 % materials.count]) }
        self.init(name: name, parts: parts)
    }

    /// Creates a mesh with one part for each piece of the shape.
    ///
    /// - Parameter material: Returns the material of a side.
    public convenience init(name: String = "", shape: Shape, material: (Shape.Side) -> Material) {
        self.init(name: name, parts: shape.parts.map { MeshPart(geometry: $0.geometry, material: material($0.side)) })
    }
}

extension Shape {
    /// Creates a box around the origin. Every face has the whole texture, upright as seen from outside; the upper edges on top and bottom are at −Z
    /// and +Z. Sides: right, left, top, bottom, front, back; each half of a rounded edge belongs to the adjacent side.
    ///
    /// - Parameters:
    ///   - size: The size along x, y and z in metres.
    ///   - chamferRadius: The radius of rounded edges and corners in metres, inside `size`; clamped to half the shortest side. 0 for sharp edges.
    ///   - chamferSegments: The number of facets between the middle of a rounded edge and a face, at least 1.
    ///   - segments: The numbers of segments of the flat parts along x, y and z, at least 1.
    public static func box(
        size: Vector3 = Vector3(repeating: 1), chamferRadius: Float = 0, chamferSegments: Int = 4, segments: (Int, Int, Int) = (1, 1, 1)
    ) -> Shape {
        PrimitiveBuilder.box(size, chamferRadius, chamferSegments, segments).shape()
    }

    /// Creates a pyramid on the plane y = 0 with its apex above the origin. Every side has the whole texture, upright as seen from outside, with the
    /// middle of its upper edge at the apex. Sides: front, right, back, left, bottom.
    ///
    /// - Parameters:
    ///   - size: Width along x, height along y and length along z in metres.
    ///   - segments: The number of segments per side, across and from the apex to the base, at least 1.
    public static func pyramid(size: Vector3 = Vector3(repeating: 1), segments: (Int, Int) = (1, 1)) -> Shape {
        PrimitiveBuilder.pyramid(size, segments).shape()
    }
}

extension Geometry {
    /// Creates a box as one geometry: every face has the whole texture, upright as seen from outside; the upper edges on top and bottom are at −Z and
    /// +Z. See `Shape.box`.
    ///
    /// - Parameters:
    ///   - size: The size along x, y and z in metres.
    ///   - chamferRadius: The radius of rounded edges and corners in metres, inside `size`; clamped to half the shortest side. 0 for sharp edges.
    ///   - chamferSegments: The number of facets between the middle of a rounded edge and a face, at least 1.
    ///   - segments: The numbers of segments of the flat parts along x, y and z, at least 1.
    public static func box(
        size: Vector3 = Vector3(repeating: 1), chamferRadius: Float = 0, chamferSegments: Int = 4, segments: (Int, Int, Int) = (1, 1, 1)
    ) -> Geometry {
        // With a radius of half a side, the flat parts have no area.
        PrimitiveBuilder.box(size, chamferRadius, chamferSegments, segments).geometry(droppingDegenerate: true)
    }

    /// Creates a pyramid as one geometry, on the plane y = 0 with its apex above the origin. See `Shape.pyramid`.
    ///
    /// - Parameters:
    ///   - size: Width along x, height along y and length along z in metres.
    ///   - segments: The number of segments per side, across and from the apex to the base, at least 1.
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
                // The texture is projected along −out: the tangent is the direction on the surface in which u increases and v is constant.
                let tangent = normalize(right - out * (dot(normal, right) / dot(normal, out)))
                return Vertex(position: position, normal: normal, tangent: tangent, coordinate: uv)
            }
        }
        return builder
    }

    /// Returns the position of `value` in −extent/2 … extent/2, as 0…1.
    private static func fraction(_ value: Float, _ extent: Float, else flat: Float) -> Float { extent > 0 ? value / extent + 0.5 : flat }

    /// Returns the lines that divide a face, from one side to the other: the position between the inner edges, −1…1, and the tilt of the normal.
    private static func boxCuts(isRounded: Bool, rounding: Int, flat: Int) -> [(side: Float, slope: Float)] {
        let between = (1..<max(flat, 1)).map { (side: Float($0) / Float(flat) * 2 - 1, slope: Float(0)) }
        guard isRounded else { return [(-1, 0)] + between + [(1, 0)] }
        // Neighbouring faces share the middle of the rounded edge, where the normal is tilted by 45°.
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

// Shapes about the y axis. The texture covers the lateral surface once, with its centre at +Z and its seam at −Z; on the top it is upright from
// above when −Z is up, on the bottom upright from below when +Z is up.

extension Shape {
    /// Creates a cone or a truncated cone, centred at the origin. Sides: side, top, bottom.
    ///
    /// - Parameters:
    ///   - topRadius: The upper radius in metres; 0 for an apex.
    ///   - bottomRadius: The lower radius in metres.
    ///   - height: The height along y in metres.
    ///   - segments: The number of segments around the axis, at least 3.
    ///   - heightSegments: The number of segments from top to bottom, at least 1.
    ///   - isCapped: Whether top and bottom are closed.
    public static func cone(
        topRadius: Float = 0, bottomRadius: Float = 0.5, height: Float = 1, segments: Int = 48, heightSegments: Int = 1,
        isCapped: Bool = true
    ) -> Shape {
        PrimitiveBuilder.cone(topRadius, bottomRadius, height, segments, heightSegments, isCapped).shape()
    }

    /// Creates a cylinder, centred at the origin. Sides: side, top, bottom.
    ///
    /// - Parameters:
    ///   - radius: The radius in metres.
    ///   - height: The height along y in metres.
    ///   - segments: The number of segments around the axis, at least 3.
    ///   - heightSegments: The number of segments from top to bottom, at least 1.
    ///   - isCapped: Whether top and bottom are closed.
    public static func cylinder(
        radius: Float = 0.5, height: Float = 1, segments: Int = 48, heightSegments: Int = 1, isCapped: Bool = true
    ) -> Shape {
        PrimitiveBuilder.cone(radius, radius, height, segments, heightSegments, isCapped).shape()
    }

    /// Creates a pipe, centred at the origin. Sides: side, inside, top, bottom.
    ///
    /// - Parameters:
    ///   - innerRadius: The radius of the hole in metres, at most `outerRadius`.
    ///   - outerRadius: The outer radius in metres.
    ///   - height: The height along y in metres.
    ///   - segments: The number of segments around the axis, at least 3.
    ///   - heightSegments: The number of segments from top to bottom, at least 1.
    public static func tube(
        innerRadius: Float = 0.25, outerRadius: Float = 0.5, height: Float = 1, segments: Int = 48, heightSegments: Int = 1
    ) -> Shape {
        PrimitiveBuilder.tube(innerRadius, outerRadius, height, segments, heightSegments).shape()
    }
}

extension Geometry {
    /// Creates a cone or a truncated cone as one geometry, centred at the origin. See `Shape.cone`.
    ///
    /// - Parameters:
    ///   - topRadius: The upper radius in metres; 0 for an apex.
    ///   - bottomRadius: The lower radius in metres.
    ///   - height: The height along y in metres.
    ///   - segments: The number of segments around the axis, at least 3.
    ///   - heightSegments: The number of segments from top to bottom, at least 1.
    ///   - isCapped: Whether top and bottom are closed.
    public static func cone(
        topRadius: Float = 0, bottomRadius: Float = 0.5, height: Float = 1, segments: Int = 48, heightSegments: Int = 1,
        isCapped: Bool = true
    ) -> Geometry {
        PrimitiveBuilder.cone(topRadius, bottomRadius, height, segments, heightSegments, isCapped).geometry(droppingDegenerate: true)
    }

    /// Creates a cylinder as one geometry, centred at the origin. See `Shape.cylinder`.
    ///
    /// - Parameters:
    ///   - radius: The radius in metres.
    ///   - height: The height along y in metres.
    ///   - segments: The number of segments around the axis, at least 3.
    ///   - heightSegments: The number of segments from top to bottom, at least 1.
    ///   - isCapped: Whether top and bottom are closed.
    public static func cylinder(
        radius: Float = 0.5, height: Float = 1, segments: Int = 48, heightSegments: Int = 1, isCapped: Bool = true
    ) -> Geometry {
        PrimitiveBuilder.cone(radius, radius, height, segments, heightSegments, isCapped).geometry(droppingDegenerate: true)
    }

    /// Creates a pipe as one geometry, centred at the origin. See `Shape.tube`.
    ///
    /// - Parameters:
    ///   - innerRadius: The radius of the hole in metres, at most `outerRadius`.
    ///   - outerRadius: The outer radius in metres.
    ///   - height: The height along y in metres.
    ///   - segments: The number of segments around the axis, at least 3.
    ///   - heightSegments: The number of segments from top to bottom, at least 1.
    public static func tube(
        innerRadius: Float = 0.25, outerRadius: Float = 0.5, height: Float = 1, segments: Int = 48, heightSegments: Int = 1
    ) -> Geometry {
        PrimitiveBuilder.tube(innerRadius, outerRadius, height, segments, heightSegments).geometry(droppingDegenerate: true)
    }

    /// Creates a capsule: a cylinder with a hemisphere at each end, centred at the origin. The texture covers it from pole to pole, uniformly along the
    /// profile.
    ///
    /// - Parameters:
    ///   - radius: The radius in metres.
    ///   - height: The height along y from pole to pole in metres; at least twice the radius.
    ///   - segments: The number of segments around the axis, at least 3.
    ///   - capSegments: The number of segments from a pole to the cylinder, at least 1.
    ///   - heightSegments: The number of segments of the cylinder, at least 1.
    public static func capsule(
        radius: Float = 0.5, height: Float = 2, segments: Int = 48, capSegments: Int = 12, heightSegments: Int = 1
    ) -> Geometry {
        PrimitiveBuilder.capsule(radius, height, segments, capSegments, heightSegments).geometry(droppingDegenerate: true)
    }

    /// Creates a torus about the y axis, centred at the origin. The texture covers it once around the axis, and once around the pipe, from its inner
    /// edge over the top.
    ///
    /// - Parameters:
    ///   - ringRadius: The distance from the axis to the centre of the pipe in metres.
    ///   - pipeRadius: The radius of the pipe in metres; at most `ringRadius`.
    ///   - ringSegments: The number of segments around the axis, at least 3.
    ///   - pipeSegments: The number of segments around the pipe, at least 3.
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

    /// Returns a straight profile from top to bottom; both ends are given as a radius and a height.
    private static func straightProfile(
        _ top: (radius: Float, height: Float), _ bottom: (radius: Float, height: Float), _ rows: Int, facesAxis: Bool = false
    ) -> [ProfilePoint] {
        let slope = normalize(Vector2(top.height - bottom.height, bottom.radius - top.radius))
        let normal = slope == Vector2(0, 0) ? Vector2(1, 0) : slope
        return (0...rows).map { row in
            let t = Float(row) / Float(rows)
            // Both ends equal the given values exactly, because caps share their vertices.
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
            // From the inner edge over the top to the outer edge and back below; the last row equals the first exactly.
            let angle = (0.5 - Float(row % rows) / Float(rows)) * 2 * .pi
            let normal = row % rows == 0 ? Vector2(-1, 0) : Vector2(cos(angle), sin(angle))
            return ProfilePoint(
                radius: ring + normal.x * pipe, height: normal.y * pipe, normal: normal, v: Float(row) / Float(rows))
        }
        builder.addRevolution(profile, segments: count(ringSegments, atLeast: 3))
        return builder
    }
}
