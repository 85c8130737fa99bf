import VitrineMath

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
