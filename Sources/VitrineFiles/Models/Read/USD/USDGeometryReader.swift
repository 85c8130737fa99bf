import VitrineGLTF
import VitrineMath
import VitrineScene

/// Reads the geometry of prims: meshes, points, curves and simple shapes.
final class USDGeometryReader {
    private let stage: USDStage
    private let materials: USDMaterialReader
    private let skeletons: USDSkeletonReader
    private let shapes: USDShapes
    /// The meshes by the opinions of their prims.
    private var meshes: [String: Mesh?] = [:]
    /// The remaining number of corners and offsets.
    private var allowance = 1 << 27

    init(stage: USDStage, materials: USDMaterialReader, skeletons: USDSkeletonReader) {
        (self.stage, self.materials, self.skeletons) = (stage, materials, skeletons)
        shapes = USDShapes(stage: stage)
    }

    /// Adds the geometry of a prim to its node; prims with the same opinions share it.
    func fill(_ node: Node, withGeometryOf prim: Int) throws(ModelFileError) {
        let isMesh = stage.prims[prim].typeName == "Mesh"
        let skeleton = isMesh ? skeletons.skeleton(ofMesh: prim) : nil
        if let skeleton { skeletons.bindLater(node, prim, to: skeleton) }
        let binding = materials.boundMaterial(prim)
        let inherited = stage.primvarOwner(prim, "primvars:displayColor").map { $0 == prim ? "" : "\($0)" } ?? ""
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
        if isMesh { skeletons.animateWeights(node, prim, skeleton: skeleton) }
    }

    // MARK: Meshes

    /// Returns the parts of a prim; empty, with a warning, if its values are invalid.
    private func soundParts(of prim: Int, isMesh: Bool, binding: Int?, skeleton: Int?) throws(ModelFileError) -> [MeshPart] {
        do throws(ModelFileError) {
            return try isMesh ? parts(ofMesh: prim, binding: binding, skeleton: skeleton) : parts(ofOther: prim, binding: binding)
        } catch {
            // Exceeding a limit is an error of the whole file.
            guard allowance > 0 else { throw error }
            stage.warn(prim, "\(error.reason); the geometry was ignored")
            return []
        }
    }

    private func parts(ofMesh prim: Int, binding: Int?, skeleton: Int?) throws(ModelFileError) -> [MeshPart] {
        let orientation = stage.opinion(prim, "orientation")
        guard orientation?.samples.isEmpty ?? true else { throw stage.failure(prim, "the orientation changes over time") }
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
        if let reason = faces.problem { throw stage.failure(prim, reason) }
        faces.holes = Set(stage.value(prim, "holeIndices")?.integers ?? [])
        try spend(corners.count, prim, "the faces have too many corners")
        var streams = self.streams(prim)
        if let skeleton, let pulled = try skeletons.skinStreams(prim, skeleton: skeleton, pointCount: points.count / 3) {
            streams += pulled
        }
        let shapeCount = skeletons.blendShapeCount(prim)
        try spend(shapeCount * (points.count / 3), prim, "\(shapeCount) blend shapes are too many")
        let morphs = skeletons.morphs(prim, pointCount: points.count / 3)
        if scheme != "none" {
            stage.warn(prim, "subdivision (\(MessageText.name(scheme))) is not supported; the control mesh is used with smooth shading")
        }
        let assembly = USDMeshAssembly(faces: faces, streams: streams, morphs: morphs, isSmooth: scheme != "none")
        return try assemble(assembly, prim, binding: binding)
    }

    private func spend(_ count: Int, _ prim: Int, _ reason: String) throws(ModelFileError) {
        allowance -= count
        guard allowance > 0 else { throw stage.failure(prim, reason) }
    }

    /// Sets points that are infinite or not a number to 0, with a warning.
    private func replaceNotFinite(_ points: inout [Float], of prim: Int) {
        var count = 0
        for index in points.indices where !points[index].isFinite {
            points[index] = 0
            count += 1
        }
        if count > 0 { stage.warn(prim, "\(count) numbers of the points are infinite or not a number and were set to 0") }
    }

    /// Creates one part for each material.
    private func assemble(_ assembly: USDMeshAssembly, _ prim: Int, binding: Int?) throws(ModelFileError) -> [MeshPart] {
        let isDoubleSided = stage.start(prim, "doubleSided")?.number == 1
        var rest = Set(0..<Int32(assembly.faces.counts.count))
        var groups: [(faces: [Int32]?, material: Int?)] = []
        for child in stage.prims[prim].children where stage.prims[child].typeName == "GeomSubset" {
            guard stage.start(child, "elementType")?.text ?? "face" == "face", materials.hasBinding(child),
                let listed = stage.value(child, "indices")?.integers
            else { continue }
            let own = listed.filter { rest.remove($0) != nil }
            if !own.isEmpty { groups.append((own.sorted(), materials.boundMaterial(child))) }
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
                throw stage.failure(prim, "\(error)")
            }
        }
        return result
    }

    /// Returns the material of a part, and the primvars that it reads.
    private func looks(
        _ prim: Int, _ material: Int?, isDoubleSided: Bool, streams: [USDStream]
    ) -> (material: Material, sets: [String: Int], hasColours: Bool) {
        let colours = streams.first { $0.name == "displayColor" }
        if let material, let known = materials.material(ofPrim: material) {
            if isDoubleSided { known.material.isDoubleSided = true }
            return (known.material, known.coordinateSets, known.readsColours)
        }
        // A mesh with one colour needs no vertex colours.
        let constant = colours.flatMap { $0.interpolation == "constant" && $0.indices == nil ? $0.values : nil }
        let opacity = streams.first { $0.name == "displayOpacity" }.flatMap { $0.interpolation == "constant" ? $0.values.first : nil } ?? 1
        let color = constant.map { Vector3($0[0], $0[1], $0[2]) } ?? Vector3(repeating: colours == nil ? Self.plainGrey : 1)
        let material = materials.plainMaterial(Vector4(color, opacity), isDoubleSided: isDoubleSided)
        return (material, [:], colours != nil && constant == nil)
    }

    private static let plainGrey: Float = 0.8

    // MARK: Streams

    private func streams(_ prim: Int) -> [USDStream] {
        var result: [USDStream] = []
        // `normals` is the older name; the primvar has priority.
        let normals = stage.has(prim, "primvars:normals") ? "primvars:normals" : "normals"
        if let stream = stream(prim, normals, width: 3, fallback: "vertex") { result.append(stream) }
        for name in coordinateNames(prim) {
            if let stream = stream(prim, "primvars:\(name)", width: 2) { result.append(stream) }
        }
        for (name, width) in [("displayColor", 3), ("displayOpacity", 1)] {
            guard let owner = stage.primvarOwner(prim, "primvars:\(name)"), let stream = stream(owner, "primvars:\(name)", width: width)
            else {
                continue
            }
            result.append(stream)
        }
        return result
    }

    /// Returns the names of primvars with two numbers per element, first `st` and its equivalents in other programs.
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

    private func stream(_ prim: Int, _ name: String, width: Int, fallback: String = "constant") -> USDStream? {
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

    private func parts(ofOther prim: Int, binding: Int?) throws(ModelFileError) -> [MeshPart] {
        let streams = self.streams(prim)
        let isDoubleSided = stage.start(prim, "doubleSided")?.number == 1
        let looks = looks(prim, binding, isDoubleSided: isDoubleSided, streams: streams)
        do throws(GeometryError) {
            let geometry: Geometry?
            switch stage.prims[prim].typeName {
            case "Points": geometry = try points(prim, streams)
            case "BasisCurves", "HermiteCurves": geometry = try shapes.curves(prim)
            default: geometry = try shapes.shape(prim)
            }
            return geometry.map { [MeshPart(geometry: $0, material: looks.material)] } ?? []
        } catch {
            throw stage.failure(prim, "\(error)")
        }
    }

    private func points(_ prim: Int, _ streams: [USDStream]) throws(GeometryError) -> Geometry? {
        guard var points = stage.value(prim, "points")?.floats, points.count >= 3, points.count % 3 == 0 else {
            stage.warn(prim, "has no points")
            return nil
        }
        replaceNotFinite(&points, of: prim)
        if stage.has(prim, "widths") { stage.warn(prim, "the widths of points are not supported") }
        let own = streams.filter { $0.interpolation == "vertex" || $0.interpolation == "varying" }
        let corners = (0..<points.count / 3).map { USDCorner(point: $0, corner: 0, face: 0) }
        return try Geometry(
            topology: .points, attributes: USDMeshAssembly.attributes(points, own, corners, sets: [:], hasColours: true))
    }
}
