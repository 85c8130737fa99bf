import VitrineGLTF
import VitrineMath
import VitrineScene

extension USDReader {
    /// Gives a node what its prim shows; prims with the same opinions share it.
    mutating func fill(_ node: Node, withGeometryOf prim: Int) throws(ModelFileError) {
        let isMesh = stage.prims[prim].typeName == "Mesh"
        let skeleton = isMesh ? boundSkeleton(prim) : nil
        if let skeleton { skinned.append((prim, node, skeleton)) }
        let binding = try boundMaterial(prim)
        let inherited = primvarOwner(prim, "primvars:displayColor").map { $0 == prim ? "" : "\($0)" } ?? ""
        let isShared = skeleton == nil && !stage.has(prim, "skel:blendShapes")
        let key =
            stage.prims[prim].sites.filter { !$0.spec.properties.isEmpty }.map { "\($0.document.location)<\($0.path)>" }
            .joined(separator: " ")
            + " \(binding.map { "\($0)" } ?? "") \(inherited)"
        if isShared, let known = meshes[key] {
            node.mesh = known
            return
        }
        let parts = try soundParts(of: prim, isMesh: isMesh, binding: binding, skeleton: skeleton)
        if !parts.isEmpty { node.mesh = Mesh(name: node.name, parts: parts) }
        if isShared { meshes[key] = .some(node.mesh) }
        if isMesh { animateWeights(node, prim, skeleton: skeleton) }
    }

    /// The nearest prim, from this one up, that has a primvar; those above count where they are constant.
    func primvarOwner(_ prim: Int, _ name: String) -> Int? {
        var current: Int? = prim
        while let index = current {
            if stage.has(index, name), index == prim || stage.field(index, name, "interpolation")?.text ?? "constant" == "constant" {
                return index
            }
            current = stage.prims[index].parent
        }
        return nil
    }

    // MARK: Meshes

    /// The parts of a prim; empty, with a warning, if its values are invalid.
    private mutating func soundParts(of prim: Int, isMesh: Bool, binding: Int?, skeleton: Int?) throws(ModelFileError) -> [MeshPart] {
        do throws(ModelFileError) {
            return try isMesh ? parts(ofMesh: prim, binding: binding, skeleton: skeleton) : parts(ofOther: prim, binding: binding)
        } catch {
            // A limit is the whole file's.
            guard geometryAllowance > 0 else { throw error }
            stage.warn(prim, "\(error.reason); the geometry was left out")
            return []
        }
    }

    private mutating func parts(ofMesh prim: Int, binding: Int?, skeleton: Int?) throws(ModelFileError) -> [MeshPart] {
        let orientation = stage.opinion(prim, "orientation")
        guard orientation?.samples.isEmpty ?? true else { throw failure(prim, "the orientation changes over time") }
        guard var points = stage.value(prim, "points")?.floats, points.count >= 3, points.count % 3 == 0 else {
            stage.warn(prim, "has no points")
            return []
        }
        replaceNotFinite(&points, of: prim)
        guard let counts = stage.value(prim, "faceVertexCounts")?.integers,
            let corners = stage.value(prim, "faceVertexIndices")?.integers, !corners.isEmpty
        else {
            stage.warn(prim, "has no faces")
            return []
        }
        let isLeftHanded = orientation?.start?.text == "leftHanded"
        let scheme = stage.value(prim, "subdivisionScheme")?.text ?? "catmullClark"
        var faces = USDFaces(points: points, counts: counts, corners: corners, isLeftHanded: isLeftHanded)
        if let reason = faces.problem { throw failure(prim, reason) }
        faces.holes = Set(stage.value(prim, "holeIndices")?.integers ?? [])
        geometryAllowance -= corners.count
        guard geometryAllowance > 0 else { throw failure(prim, "more corners of faces than are read") }
        var streams = try self.streams(prim)
        if let skeleton, let pulled = try skinStreams(prim, skeleton: skeleton, pointCount: points.count / 3) { streams += pulled }
        let morphs = try self.morphs(prim, pointCount: points.count / 3)
        if scheme != "none" {
            stage.warn(prim, "subdivision (\(MessageText.name(scheme))) is not done: the cage is shown, smooth")
        }
        let assembly = USDMeshAssembly(faces: faces, streams: streams, morphs: morphs, isSmooth: scheme != "none")
        return try assemble(assembly, prim, binding: binding)
    }

    /// Sets points that are infinite or not a number to 0, with a warning.
    private mutating func replaceNotFinite(_ points: inout [Float], of prim: Int) {
        var count = 0
        for index in points.indices where !points[index].isFinite {
            points[index] = 0
            count += 1
        }
        if count > 0 { stage.warn(prim, "\(count) numbers of the points are infinite or not a number and were set to 0") }
    }

    /// One part for each material.
    private mutating func assemble(_ assembly: USDMeshAssembly, _ prim: Int, binding: Int?) throws(ModelFileError) -> [MeshPart] {
        let isDoubleSided = stage.start(prim, "doubleSided")?.number == 1
        var rest = Set(0..<Int32(assembly.faces.counts.count))
        var groups: [(faces: [Int32]?, material: Int?)] = []
        for child in stage.prims[prim].children where stage.prims[child].typeName == "GeomSubset" {
            guard stage.start(child, "elementType")?.text ?? "face" == "face", try hasBinding(child),
                let listed = stage.value(child, "indices")?.integers
            else { continue }
            let own = listed.filter { rest.remove($0) != nil }
            if !own.isEmpty { groups.append((own.sorted(), try boundMaterial(child))) }
        }
        if groups.isEmpty {
            groups = [(nil, binding)]
        } else if !rest.isEmpty {
            groups.append((rest.sorted(), binding))
        }
        var result: [MeshPart] = []
        for (faces, material) in groups {
            let looks = looks(prim, material, isDoubleSided: isDoubleSided, streams: assembly.streams)
            do throws(GeometryError) {
                if let geometry = try assembly.geometry(faces: faces, sets: looks.sets, hasColours: looks.hasColours) {
                    result.append(MeshPart(geometry: geometry, material: looks.material))
                }
            } catch {
                throw failure(prim, "\(error)")
            }
        }
        return result
    }

    /// The material of a part, and the primvars that it reads.
    mutating func looks(
        _ prim: Int, _ material: Int?, isDoubleSided: Bool, streams: [USDStream]
    ) -> (material: Material, sets: [String: Int], hasColours: Bool) {
        let colours = streams.first { $0.name == "displayColor" }
        if let material, let known = materialsByPrim[material] {
            if isDoubleSided { known.material.isDoubleSided = true }
            return (known.material, known.coordinateSets, known.readsColours)
        }
        // The whole mesh in one colour needs no colours of vertices.
        let constant = colours.flatMap { $0.interpolation == "constant" && $0.indices == nil ? $0.values : nil }
        let opacity = streams.first { $0.name == "displayOpacity" }.flatMap { $0.interpolation == "constant" ? $0.values.first : nil } ?? 1
        let color = constant.map { Vector3($0[0], $0[1], $0[2]) } ?? Vector3(repeating: colours == nil ? Self.plainGrey : 1)
        let material = plainMaterial(Vector4(color, opacity), isDoubleSided: isDoubleSided)
        return (material, [:], colours != nil && constant == nil)
    }

    private static let plainGrey: Float = 0.8

    private mutating func plainMaterial(_ color: Vector4, isDoubleSided: Bool) -> Material {
        let key = "\(color) \(isDoubleSided)"
        if let known = plainMaterials[key] { return known }
        let material = Material(name: "", baseColor: Color(linear: color), metalness: 0, roughness: 1)
        material.isDoubleSided = isDoubleSided
        if color.w < 1 { material.alphaMode = .blend }
        plainMaterials[key] = material
        materials.append(material)
        return material
    }

    // MARK: Streams

    mutating func streams(_ prim: Int) throws(ModelFileError) -> [USDStream] {
        var result: [USDStream] = []
        // `normals` is the older place; the primvar goes before it.
        let normals = stage.has(prim, "primvars:normals") ? "primvars:normals" : "normals"
        if let stream = stream(prim, normals, width: 3, fallback: "vertex") { result.append(stream) }
        for name in coordinateNames(prim) {
            if let stream = stream(prim, "primvars:\(name)", width: 2) { result.append(stream) }
        }
        for (name, width) in [("displayColor", 3), ("displayOpacity", 1)] {
            guard let owner = primvarOwner(prim, "primvars:\(name)"), let stream = stream(owner, "primvars:\(name)", width: width) else {
                continue
            }
            result.append(stream)
        }
        return result
    }

    /// Primvars of two numbers a place, `st` and what other programs call it first.
    private func coordinateNames(_ prim: Int) -> [String] {
        let types: Set<String> = [
            "texCoord2f[]", "texCoord2d[]", "texCoord2h[]", "float2[]", "double2[]", "half2[]", "texCoord2f", "float2",
        ]
        let names = stage.properties(prim, prefix: "primvars:").filter { name in
            !name.hasSuffix(":indices") && stage.prims[prim].sites.contains { types.contains($0.spec.properties[name]?.typeName ?? "") }
        }.map { String($0.dropFirst("primvars:".count)) }
        let first = ["st", "st0", "UVMap", "st_0", "map1"].first { names.contains($0) }
        return ((first.map { [$0] } ?? []) + names.filter { $0 != first }).prefix(8).map { $0 }
    }

    private mutating func stream(_ prim: Int, _ name: String, width: Int, fallback: String = "constant") -> USDStream? {
        guard let values = stage.value(prim, name)?.floats, !values.isEmpty, values.count % width == 0 else { return nil }
        guard values.allSatisfy(\.isFinite) else {
            stage.warn(prim, "\(name) is not finite")
            return nil
        }
        let interpolation = stage.field(prim, name, "interpolation")?.text ?? fallback
        let short = name.hasPrefix("primvars:") ? String(name.dropFirst("primvars:".count)) : name
        return USDStream(
            name: short, width: width, values: values, indices: stage.value(prim, name + ":indices")?.integers, interpolation: interpolation
        )
    }

    // MARK: Points, curves and simple shapes

    private mutating func parts(ofOther prim: Int, binding: Int?) throws(ModelFileError) -> [MeshPart] {
        let streams = try self.streams(prim)
        let isDoubleSided = stage.start(prim, "doubleSided")?.number == 1
        let looks = looks(prim, binding, isDoubleSided: isDoubleSided, streams: streams)
        do throws(GeometryError) {
            let geometry: Geometry?
            switch stage.prims[prim].typeName {
            case "Points": geometry = try points(prim, streams)
            case "BasisCurves", "HermiteCurves": geometry = try curves(prim)
            default: geometry = try shape(prim)
            }
            return geometry.map { [MeshPart(geometry: $0, material: looks.material)] } ?? []
        } catch {
            throw failure(prim, "\(error)")
        }
    }

    private mutating func points(_ prim: Int, _ streams: [USDStream]) throws(GeometryError) -> Geometry? {
        guard var points = stage.value(prim, "points")?.floats, points.count >= 3, points.count % 3 == 0 else {
            stage.warn(prim, "has no points")
            return nil
        }
        replaceNotFinite(&points, of: prim)
        if stage.has(prim, "widths") { stage.warn(prim, "points' widths are not read") }
        let own = streams.filter { $0.interpolation == "vertex" || $0.interpolation == "varying" }
        let corners = (0..<points.count / 3).map { USDCorner(point: $0, corner: 0, face: 0) }
        return try Geometry(
            topology: .points, attributes: USDMeshAssembly.attributes(points, own, corners, sets: [:], hasColours: true))
    }
}

extension USDReader {
    /// Cube, Sphere, Cylinder, Cone, Capsule and Plane, after UsdGeom.
    mutating func shape(_ prim: Int) throws(GeometryError) -> Geometry? {
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

    /// What faces +Z facing another axis.
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

    /// Curves as lines: linear curves unchanged, cubic curves sampled.
    mutating func curves(_ prim: Int) throws(GeometryError) -> Geometry? {
        guard let points = stage.value(prim, "points")?.floats, points.count >= 6, points.count % 3 == 0, points.allSatisfy(\.isFinite),
            let counts = stage.value(prim, "curveVertexCounts")?.integers
        else {
            stage.warn(prim, "has no points")
            return nil
        }
        stage.warn(prim, "curves are shown as lines, without their widths")
        let isCubic = stage.prims[prim].typeName == "BasisCurves" && stage.start(prim, "type")?.text ?? "cubic" == "cubic"
        let basis = stage.start(prim, "basis")?.text ?? "bezier"
        let isPeriodic = stage.start(prim, "wrap")?.text == "periodic"
        var (positions, indices, start): ([Float], [UInt32], Int) = ([], [], 0)
        for count in counts {
            guard count >= 0, start + Int(count) <= points.count / 3 else {
                stage.warn(prim, "curves have more points than there are")
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

/// Shapes that are round about an axis: an outline turned about it.
enum USDLathe {
    /// One place of an outline: how far from the axis, how far along it, and the normal there.
    struct Place {
        var radius, height: Float
        var normal: Vector2
    }

    private static let segments = 48

    /// Runs of smooth outline from the bottom up; between runs there is an edge.
    static func cylinder(bottom: Float, top: Float, half: Float) -> [[Place]] {
        let slope = normalize(Vector2(2 * half, bottom - top))
        var runs: [[Place]] = []
        if bottom > 0 {
            runs.append([
                Place(radius: 0, height: -half, normal: Vector2(0, -1)), Place(radius: bottom, height: -half, normal: Vector2(0, -1)),
            ])
        }
        runs.append([Place(radius: bottom, height: -half, normal: slope), Place(radius: top, height: half, normal: slope)])
        if top > 0 {
            runs.append([Place(radius: top, height: half, normal: Vector2(0, 1)), Place(radius: 0, height: half, normal: Vector2(0, 1))])
        }
        return runs
    }

    static func capsule(bottom: Float, top: Float, half: Float) -> [[Place]] {
        let steps = 12
        func cap(_ radius: Float, _ height: Float, from start: Float) -> [Place] {
            (0...steps).map { step in
                let angle = (start + Float(step) / Float(steps)) * Float.pi / 2
                let normal = Vector2(step == 0 && start < 0 || step == steps && start == 0 ? 0 : cos(angle), sin(angle))
                return Place(radius: radius * normal.x, height: height + radius * normal.y, normal: normal)
            }
        }
        return [cap(bottom, -half, from: -1) + cap(top, half, from: 0)]
    }

    static func geometry(_ runs: [[Place]], axis: String) throws(GeometryError) -> Geometry {
        var (positions, normals, coordinates, indices): ([Float], [Float], [Float], [UInt32]) = ([], [], [], [])
        // Around the axis, right-handed: which two others come first.
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
            for (row, place) in run.enumerated() {
                for column in 0...segments {
                    let angle = Float(column % segments) / Float(segments) * 2 * .pi
                    positions += turned(place.radius, place.height, angle)
                    normals += turned(place.normal.x, place.normal.y, angle)
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
