import VitrineMath
import VitrineScene

extension COLLADAWriter {
    mutating func addGeometries() {
        guard !contents.meshes.isEmpty else { return }
        text.open("library_geometries")
        for index in contents.meshes.indices {
            addGeometry(index, target: nil)
            for target in 0..<contents.morphTargetCount(ofMesh: index) { addGeometry(index, target: target) }
        }
        text.close()
    }

    func geometryID(_ mesh: Int, target: Int?) -> String { target.map { "geometry\(mesh)-target\($0)" } ?? "geometry\(mesh)" }

    /// Returns the parts of a mesh that the format supports.
    func writtenParts(_ mesh: Int) -> [Int] {
        contents.parts[mesh].indices.filter { contents.parts[mesh][$0].geometry.topology != .points }
    }

    /// Returns the index of the first position of each part in the mesh.
    func firstPositions(_ mesh: Int) -> [Int] {
        var (result, count): ([Int], Int) = ([], 0)
        for part in contents.parts[mesh] {
            result.append(count)
            if part.geometry.topology != .points { count += part.geometry.vertexCount }
        }
        return result
    }

    /// Adds a mesh, or a morph target of it.
    private mutating func addGeometry(_ mesh: Int, target: Int?) {
        let id = geometryID(mesh, target: target)
        let parts = writtenParts(mesh)
        let name = target.map { targetName(mesh, $0) } ?? contents.meshes[mesh].name
        if target == nil, parts.count < contents.parts[mesh].count {
            reportOmission(of: "\(contents.parts[mesh].count - parts.count) parts of points", at: "mesh \"\(name)\"")
        }
        text.open("geometry", Self.named(id, name))
        text.open("mesh")
        let positions = parts.flatMap { moved(contents.parts[mesh][$0].geometry, .position, target) ?? [] }
        addSource(id + "-positions", positions, ["X", "Y", "Z"])
        for part in parts { addSources(mesh, part, target, id: "\(id)-\(part)") }
        text.open("vertices", [("id", id + "-vertices")])
        text.leaf("input", [("semantic", "POSITION"), ("source", "#\(id)-positions")])
        text.close()
        let first = firstPositions(mesh)
        for part in parts { addElements(mesh, part, first: first[part], target, id: id) }
        text.close()
        text.close()
    }

    private func targetName(_ mesh: Int, _ target: Int) -> String {
        let names = contents.parts[mesh].compactMap { part in
            target < part.geometry.morphTargets.count ? part.geometry.morphTargets[target].name : nil
        }
        return names.first { !$0.isEmpty } ?? ""
    }

    /// Returns the values of a stream, with a morph target at its full weight.
    private func moved(_ geometry: Geometry, _ semantic: VertexSemantic, _ target: Int?) -> [Float]? {
        guard let values = geometry.attribute(semantic)?.values else { return nil }
        guard let target, target < geometry.morphTargets.count else { return values }
        let offsets = semantic == .position ? geometry.morphTargets[target].positionOffsets : geometry.morphTargets[target].normalOffsets
        return offsets.isEmpty ? values : zip(values, offsets).map { $0 + $1 }
    }

    private mutating func addSources(_ mesh: Int, _ part: Int, _ target: Int?, id: String) {
        let geometry = contents.parts[mesh][part].geometry
        if let normals = moved(geometry, .normal, target) { addSource(id + "-normals", normals, ["X", "Y", "Z"]) }
        guard target == nil else { return }
        for attribute in geometry.attributes {
            switch attribute.semantic {
            case .textureCoordinate(let set):
                var values = attribute.values
                // COLLADA's v points up in the image, Vitrine's down.
                for index in stride(from: 1, to: values.count, by: 2) { values[index] = 1 - values[index] }
                addSource("\(id)-coordinates\(set)", values, ["S", "T"])
            case .color(let set):
                var values = attribute.values
                let width = attribute.componentCount
                for index in values.indices where width == 3 || index % 4 != 3 { values[index] = sRGBFromLinear(max(values[index], 0)) }
                addSource("\(id)-colors\(set)", values, Array(["R", "G", "B", "A"].prefix(width)))
            case .tangent: addTangents(attribute.values, geometry.attribute(.normal)?.values, id: id)
            case .position, .normal, .joints, .weights, .occlusionHarmonics: break
            case .custom: reportOmission(of: "\(attribute.semantic)", at: "mesh \"\(contents.meshes[mesh].name)\"")
            }
        }
    }

    private mutating func addTangents(_ tangents: [Float], _ normals: [Float]?, id: String) {
        guard let normals else { return }
        var (along, across): ([Float], [Float]) = ([], [])
        for vertex in 0..<normals.count / 3 {
            let t = Vector3(tangents[vertex * 4], tangents[vertex * 4 + 1], tangents[vertex * 4 + 2])
            let n = Vector3(normals[vertex * 3], normals[vertex * 3 + 1], normals[vertex * 3 + 2])
            along += t.array
            across += (cross(n, t) * tangents[vertex * 4 + 3]).array
        }
        addSource(id + "-tangents", along, ["X", "Y", "Z"])
        addSource(id + "-binormals", across, ["X", "Y", "Z"])
    }

    // MARK: Elements

    private mutating func addElements(_ mesh: Int, _ part: Int, first: Int, _ target: Int?, id: String) {
        let geometry = contents.parts[mesh][part].geometry
        let corners = Self.corners(geometry)
        let isLines = geometry.triangleCount == 0
        let material = contents.index(of: contents.parts[mesh][part].material)
        text.open(
            isLines ? "lines" : "triangles", [("material", "material\(material)"), ("count", "\(corners.count / (isLines ? 2 : 3))")])
        text.leaf("input", [("semantic", "VERTEX"), ("source", "#\(id)-vertices"), ("offset", "0")])
        // Positions are indexed in the mesh, other values in the part.
        let offset = first == 0 ? "0" : "1"
        for (semantic, source, set) in inputs(geometry, target) {
            let sets = set.map { [("set", "\($0)")] } ?? []
            text.leaf("input", [("semantic", semantic), ("source", "#\(id)-\(part)-\(source)"), ("offset", offset)] + sets)
        }
        let isShared = first == 0 || inputs(geometry, target).isEmpty
        text.leaf("p", integers: isShared ? corners.map { $0 + first } : corners.flatMap { [$0 + first, $0] })
        text.close()
    }

    private func inputs(_ geometry: Geometry, _ target: Int?) -> [(semantic: String, source: String, set: Int?)] {
        var result: [(semantic: String, source: String, set: Int?)] = []
        for attribute in geometry.attributes {
            switch attribute.semantic {
            case .normal: result.append(("NORMAL", "normals", nil))
            case .textureCoordinate(let set) where target == nil: result.append(("TEXCOORD", "coordinates\(set)", set))
            case .color(let set) where target == nil: result.append(("COLOR", "colors\(set)", set))
            case .tangent where target == nil && geometry.attribute(.normal) != nil:
                result += [("TEXTANGENT", "tangents", 0), ("TEXBINORMAL", "binormals", 0)]
            default: break
            }
        }
        return result
    }

    /// Returns the corners of triangles, or the ends of lines.
    private static func corners(_ geometry: Geometry) -> [Int] {
        if geometry.triangleCount > 0 { return geometry.triangleIndices.map { Int($0) } }
        let elements = geometry.indices?.map { Int($0) } ?? Array(0..<geometry.vertexCount)
        switch geometry.topology {
        case .lineStrip, .lineLoop:
            var result = zip(elements, elements.dropFirst()).flatMap { [$0, $1] }
            if geometry.topology == .lineLoop, let first = elements.first, let last = elements.last { result += [last, first] }
            return result
        default: return Array(elements.prefix(elements.count - elements.count % 2))
        }
    }
}

extension COLLADAWriter {
    /// Returns the controller that instantiates a node's mesh; nil for the geometry itself.
    func controllerID(_ entry: Int) -> String? {
        if contents.entries[entry].skin != nil { return "skin\(entry)" }
        return isMorphed(entry) ? "morph\(entry)" : nil
    }

    func isMorphed(_ entry: Int) -> Bool { contents.entries[entry].mesh.map { contents.morphTargetCount(ofMesh: $0) > 0 } ?? false }

    mutating func addControllers() {
        let entries = contents.entries.indices.filter { contents.entries[$0].skin != nil || isMorphed($0) }
        guard !entries.isEmpty else { return }
        text.open("library_controllers")
        for index in entries {
            guard let mesh = contents.entries[index].mesh else { continue }
            if isMorphed(index) { addMorph(index, mesh) }
            if let skin = contents.entries[index].skin { addSkin(index, mesh, contents.skins[skin]) }
        }
        text.close()
    }

    private mutating func addMorph(_ entry: Int, _ mesh: Int) {
        let (id, count) = ("morph\(entry)", contents.morphTargetCount(ofMesh: mesh))
        text.open("controller", [("id", id)])
        text.open("morph", [("source", "#" + geometryID(mesh, target: nil)), ("method", "NORMALIZED")])
        let targets = (0..<count).map { geometryID(mesh, target: $0) }
        addSource(id + "-targets", names: targets, "IDREF", kind: "IDREF_array", type: "IDREF")
        addSource(id + "-weights", weights(entry, count), ["MORPH_WEIGHT"])
        text.open("targets")
        text.leaf("input", [("semantic", "MORPH_TARGET"), ("source", "#\(id)-targets")])
        text.leaf("input", [("semantic", "MORPH_WEIGHT"), ("source", "#\(id)-weights")])
        text.close()
        text.close()
        text.close()
    }

    private func weights(_ entry: Int, _ count: Int) -> [Float] {
        let node = contents.entries[entry].node
        let known = node.morphWeights.isEmpty ? node.mesh?.morphWeights ?? [] : node.morphWeights
        return (0..<count).map { $0 < known.count ? known[$0] : 0 }
    }

    // MARK: Skins

    private mutating func addSkin(_ entry: Int, _ mesh: Int, _ skin: SceneContents.SkinEntry) {
        let id = "skin\(entry)"
        text.open("controller", Self.named(id, skin.skin.name))
        text.open("skin", [("source", "#" + (isMorphed(entry) ? "morph\(entry)" : geometryID(mesh, target: nil)))])
        text.leaf("bind_shape_matrix", [], "1 0 0 0 0 1 0 0 0 0 1 0 0 0 0 1")
        addSource(id + "-joints", names: skin.joints.map { Self.nodeID($0) }, "JOINT")
        addSource(id + "-binds", skin.skin.inverseBindMatrices.flatMap { Self.rows($0) }, ["TRANSFORM"], type: "float4x4")
        let influences = influences(mesh)
        addSource(id + "-weights", influences.weights, ["WEIGHT"])
        text.open("joints")
        text.leaf("input", [("semantic", "JOINT"), ("source", "#\(id)-joints")])
        text.leaf("input", [("semantic", "INV_BIND_MATRIX"), ("source", "#\(id)-binds")])
        text.close()
        text.open("vertex_weights", [("count", "\(influences.counts.count)")])
        text.leaf("input", [("semantic", "JOINT"), ("source", "#\(id)-joints"), ("offset", "0")])
        text.leaf("input", [("semantic", "WEIGHT"), ("source", "#\(id)-weights"), ("offset", "1")])
        text.leaf("vcount", integers: influences.counts)
        text.leaf("v", integers: influences.joints.enumerated().flatMap { [$1, $0] })
        text.close()
        text.close()
        text.close()
    }

    /// Returns, for all positions of a mesh in order, the number of joints, and the joints with their weights.
    private func influences(_ mesh: Int) -> (counts: [Int], joints: [Int], weights: [Float]) {
        var (counts, joints, weights): ([Int], [Int], [Float]) = ([], [], [])
        for part in writtenParts(mesh) {
            let geometry = contents.parts[mesh][part].geometry
            let sets = geometry.skinSets()
            for vertex in 0..<geometry.vertexCount {
                let before = joints.count
                for set in sets.joints.indices {
                    for index in vertex * 4..<vertex * 4 + 4 where sets.weights[set][index] > 0 {
                        joints.append(Int(sets.joints[set][index]))
                        weights.append(sets.weights[set][index])
                    }
                }
                counts.append(joints.count - before)
            }
        }
        return (counts, joints, weights)
    }

    /// Returns the top of the tree that contains the joints.
    func skeletonRoot(_ skin: Int) -> Int? {
        guard var entry = contents.skins[skin].joints.first else { return nil }
        while let parent = contents.entries[entry].parent { entry = parent }
        return entry
    }

    static func nodeID(_ entry: Int) -> String { "node\(entry)" }

    /// Returns sixteen numbers in the format's order of matrices.
    static func rows(_ m: Matrix4) -> [Float] {
        let t = m.transpose
        return [t.x, t.y, t.z, t.w].flatMap { [$0.x, $0.y, $0.z, $0.w] }
    }
}
