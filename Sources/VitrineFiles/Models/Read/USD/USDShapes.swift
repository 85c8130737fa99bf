import VitrineMath
import VitrineScene

/// Creates the geometry of curves and simple shapes (UsdGeom).
struct USDShapes {
    let stage: USDStage

    /// Returns the geometry of a Cube, Sphere, Cylinder, Cone, Capsule or Plane of UsdGeom.
    func shape(_ prim: Int) throws(GeometryError) -> Geometry? {
        func number(_ name: String, _ fallback: Float) -> Float {
            let value = stage.start(prim, name)?.float ?? fallback
            return value.isFinite && value >= 0 ? value : fallback
        }
        let type = stage.prims[prim].typeName
        let axis = stage.start(prim, "axis")?.text ?? "Z"
        switch type {
        case "Cube": return .box(size: Vector3(repeating: number("size", 2)))
        case "Sphere": return .sphere(radius: number("radius", 1))
        case "Plane":
            return try Self.turned(.plane(width: number("width", 2), height: number("length", 2)), axis)
        case "Cylinder", "Cylinder_1":
            let (radius, half) = (number("radius", 1), number("height", 2) / 2)
            let (bottom, top) = (number("radiusBottom", radius), number("radiusTop", radius))
            return try USDLathe.geometry(USDLathe.cylinder(bottom: bottom, top: top, half: half), axis: axis)
        case "Cone":
            return try USDLathe.geometry(USDLathe.cylinder(bottom: number("radius", 1), top: 0, half: number("height", 2) / 2), axis: axis)
        case "Capsule", "Capsule_1":
            let (radius, half) = (number("radius", 0.5), number("height", 1) / 2)
            let (bottom, top) = (number("radiusBottom", radius), number("radiusTop", radius))
            return try USDLathe.geometry(USDLathe.capsule(bottom: bottom, top: top, half: half), axis: axis)
        default: return nil
        }
    }

    /// Rotates a geometry that faces +Z to another axis.
    private static func turned(_ geometry: Geometry, _ axis: String) throws(GeometryError) -> Geometry {
        guard axis != "Z" else { return geometry }
        let isX = axis == "X"
        func turned(_ values: [Float], _ width: Int) -> [Float] {
            var result = values
            for index in stride(from: 0, to: values.count - 2, by: width) {
                let (x, y, z) = (values[index], values[index + 1], values[index + 2])
                (result[index], result[index + 1], result[index + 2]) = isX ? (z, x, y) : (y, z, x)
            }
            return result
        }
        let attributes = geometry.attributes.map { attribute -> VertexAttribute in
            switch attribute.semantic {
            case .position, .normal, .tangent:
                VertexAttribute(
                    attribute.semantic, componentCount: attribute.componentCount, values: turned(attribute.values, attribute.componentCount)
                )
            default: attribute
            }
        }
        return try Geometry(attributes: attributes, indices: geometry.indices)
    }

    // MARK: Curves

    private static let stepsPerSpan = 8
    private static let maximumCurvePoints = 1 << 22

    /// Returns curves as lines: linear curves unchanged, cubic curves sampled.
    func curves(_ prim: Int) throws(GeometryError) -> Geometry? {
        guard let points = stage.value(prim, "points")?.floats, points.count >= 6, points.count % 3 == 0, points.allSatisfy(\.isFinite),
            let counts = stage.value(prim, "curveVertexCounts")?.integers
        else {
            stage.warn(prim, "has no points")
            return nil
        }
        stage.warn(prim, "curves are converted to lines without widths")
        let isCubic = stage.prims[prim].typeName == "BasisCurves" && stage.start(prim, "type")?.text ?? "cubic" == "cubic"
        let basis = stage.start(prim, "basis")?.text ?? "bezier"
        let isPeriodic = stage.start(prim, "wrap")?.text == "periodic"
        var (positions, indices, start): ([Float], [UInt32], Int) = ([], [], 0)
        for count in counts {
            guard count >= 0, start + Int(count) <= points.count / 3 else {
                stage.warn(prim, "the curves have more points than the list")
                break
            }
            let control = (start..<start + Int(count)).map { Vector3(points[3 * $0], points[3 * $0 + 1], points[3 * $0 + 2]) }
            start += Int(count)
            let line = isCubic ? Self.line(control, basis, isPeriodic: isPeriodic) : isPeriodic ? control + control.prefix(1) : control
            guard line.count >= 2, positions.count < 3 * Self.maximumCurvePoints else { continue }
            let first = UInt32(positions.count / 3)
            for point in line { positions += [point.x, point.y, point.z] }
            for step in 1..<UInt32(line.count) { indices += [first + step - 1, first + step] }
        }
        guard !indices.isEmpty else { return nil }
        return try Geometry(
            topology: .lines, attributes: [VertexAttribute(.position, componentCount: 3, values: positions)], indices: indices)
    }

    private static func line(_ control: [Vector3], _ basis: String, isPeriodic: Bool) -> [Vector3] {
        let isBezier = basis == "bezier"
        let points = isPeriodic ? control + control.prefix(isBezier ? 1 : 3) : control
        guard points.count >= 4 else { return points }
        var result: [Vector3] = []
        for first in stride(from: 0, through: points.count - 4, by: isBezier ? 3 : 1) {
            let span = Array(points[first..<first + 4])
            for step in 0..<stepsPerSpan { result.append(point(span, basis, Float(step) / Float(stepsPerSpan))) }
            if first + (isBezier ? 3 : 1) > points.count - 4 { result.append(point(span, basis, 1)) }
        }
        return result
    }

    private static func point(_ p: [Vector3], _ basis: String, _ t: Float) -> Vector3 {
        let u = 1 - t
        switch basis {
        case "bspline":
            let (a, b) = (u * u * u / 6, (3 * t * t * t - 6 * t * t + 4) / 6)
            let (c, d) = ((-3 * t * t * t + 3 * t * t + 3 * t + 1) / 6, t * t * t / 6)
            return p[0] * a + p[1] * b + (p[2] * c + p[3] * d)
        case "catmullRom":
            let (a, b) = ((-t * t * t + 2 * t * t - t) / 2, (3 * t * t * t - 5 * t * t + 2) / 2)
            let (c, d) = ((-3 * t * t * t + 4 * t * t + t) / 2, (t * t * t - t * t) / 2)
            return p[0] * a + p[1] * b + (p[2] * c + p[3] * d)
        default: return p[0] * (u * u * u) + p[1] * (3 * u * u * t) + (p[2] * (3 * u * t * t) + p[3] * (t * t * t))
        }
    }
}

/// Creates surfaces of revolution.
enum USDLathe {
    /// A point of a profile: the distance from the axis, the position along it, and the normal.
    struct ProfilePoint {
        var radius, height: Float
        var normal: Vector2
    }

    private static let segments = 48

    /// Returns smooth runs of a profile from the bottom up; there is an edge between runs.
    static func cylinder(bottom: Float, top: Float, half: Float) -> [[ProfilePoint]] {
        let slope = normalize(Vector2(2 * half, bottom - top))
        var runs: [[ProfilePoint]] = []
        if bottom > 0 {
            runs.append([
                ProfilePoint(radius: 0, height: -half, normal: Vector2(0, -1)),
                ProfilePoint(radius: bottom, height: -half, normal: Vector2(0, -1)),
            ])
        }
        runs.append([ProfilePoint(radius: bottom, height: -half, normal: slope), ProfilePoint(radius: top, height: half, normal: slope)])
        if top > 0 {
            runs.append([
                ProfilePoint(radius: top, height: half, normal: Vector2(0, 1)),
                ProfilePoint(radius: 0, height: half, normal: Vector2(0, 1)),
            ])
        }
        return runs
    }

    static func capsule(bottom: Float, top: Float, half: Float) -> [[ProfilePoint]] {
        let steps = 12
        func cap(_ radius: Float, _ height: Float, from start: Float) -> [ProfilePoint] {
            (0...steps).map { step in
                let angle = (start + Float(step) / Float(steps)) * Float.pi / 2
                let normal = Vector2(step == 0 && start < 0 || step == steps && start == 0 ? 0 : cos(angle), sin(angle))
                return ProfilePoint(radius: radius * normal.x, height: height + radius * normal.y, normal: normal)
            }
        }
        return [cap(bottom, -half, from: -1) + cap(top, half, from: 0)]
    }

    static func geometry(_ runs: [[ProfilePoint]], axis: String) throws(GeometryError) -> Geometry {
        var (positions, normals, coordinates, indices): ([Float], [Float], [Float], [UInt32]) = ([], [], [], [])
        // The two axes around the axis of revolution, right-handed.
        func turned(_ radius: Float, _ along: Float, _ angle: Float) -> [Float] {
            let (a, b) = (radius * cos(angle), radius * sin(angle))
            switch axis {
            case "X": return [along, a, b]
            case "Y": return [b, along, a]
            default: return [a, b, along]
            }
        }
        for (number, run) in runs.enumerated() {
            let first = UInt32(positions.count / 3)
            for (row, point) in run.enumerated() {
                for column in 0...segments {
                    let angle = Float(column % segments) / Float(segments) * 2 * .pi
                    positions += turned(point.radius, point.height, angle)
                    normals += turned(point.normal.x, point.normal.y, angle)
                    let along = Float(row) / Float(run.count - 1)
                    coordinates += [Float(column) / Float(segments), 1 - (Float(number) + along) / Float(runs.count)]
                }
            }
            let width = UInt32(segments + 1)
            for row in 0..<UInt32(run.count - 1) {
                for column in 0..<UInt32(segments) {
                    let a = first + row * width + column
                    if run[Int(row)].radius > 0 { indices += [a, a + 1, a + width] }
                    if run[Int(row) + 1].radius > 0 { indices += [a + 1, a + width + 1, a + width] }
                }
            }
        }
        return try Geometry(
            attributes: [
                VertexAttribute(.position, componentCount: 3, values: positions),
                VertexAttribute(.normal, componentCount: 3, values: UnitVectors.normals(normals)),
                VertexAttribute(.textureCoordinate(set: 0), componentCount: 2, values: coordinates),
            ], indices: indices)
    }
}
