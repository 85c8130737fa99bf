/// Meshes: their streams, indices and targets.
extension GLBRules {
    /// The valid types of each stream.
    private static let kinds: [String: Set<String>] = [
        "POSITION": ["VEC3 5126"], "NORMAL": ["VEC3 5126"], "TANGENT": ["VEC4 5126"],
        "TEXCOORD": ["VEC2 5126", "VEC2 5121 normalized", "VEC2 5123 normalized"],
        "COLOR": [
            "VEC3 5126", "VEC4 5126", "VEC3 5121 normalized", "VEC4 5121 normalized", "VEC3 5123 normalized", "VEC4 5123 normalized",
        ],
        "JOINTS": ["VEC4 5121", "VEC4 5123"],
        "WEIGHTS": ["VEC4 5126", "VEC4 5121 normalized", "VEC4 5123 normalized"],
    ]

    mutating func findDraco() {
        for primitive in meshes.flatMap({ $0["primitives"].elements }) {
            let draco = primitive["extensions"]["KHR_draco_mesh_compression"]
            guard draco.isThere else { continue }
            for name in draco["attributes"].members.keys {
                if let accessor = primitive["attributes"][name].integer { dracoAccessors.insert(accessor) }
            }
            if let accessor = primitive["indices"].integer { dracoAccessors.insert(accessor) }
            if let view = draco["bufferView"].integer { viewUses[view, default: []].insert(.data) }
        }
        for accessor in dracoAccessors.sorted() where accessors.indices.contains(accessor) {
            expect(!accessors[accessor]["bufferView"].isThere, "accessors/\(accessor): in Draco data and in a view")
        }
    }

    mutating func checkMeshes() {
        for (index, mesh) in meshes.enumerated() {
            let primitives = mesh["primitives"].elements
            expect(!primitives.isEmpty, "meshes/\(index): no primitives")
            let counts = Set(primitives.map { $0["targets"].elements.count })
            expect(counts.count <= 1, "meshes/\(index): primitives with different numbers of targets")
            let weights = mesh["weights"]
            let names = mesh["extras"]["targetNames"]
            expect(!weights.isThere || counts == [weights.elements.count], "meshes/\(index): not a weight a target")
            expect(!names.isThere || counts == [names.elements.count], "meshes/\(index): not a name a target")
            for (number, primitive) in primitives.enumerated() { check(primitive, "meshes/\(index)/primitives/\(number)") }
        }
    }

    private mutating func check(_ primitive: JSONNode, _ location: String) {
        let attributes = primitive["attributes"]
        guard let position = reference(attributes["POSITION"], "accessors", "\(location)/POSITION") else {
            faults.append("\(location): no positions")
            return
        }
        for name in attributes.members.keys.sorted() { checkStream(name, attributes[name], "\(location)/\(name)", count: count(position)) }
        for set in ["TEXCOORD", "COLOR", "JOINTS", "WEIGHTS"] { checkNumbers(of: set, attributes, location) }
        let pairs = ["JOINTS_", "WEIGHTS_"].map { prefix in attributes.members.keys.count { $0.hasPrefix(prefix) } }
        expect(pairs[0] == pairs[1], "\(location): joints without weights, or weights without joints")
        expect(!attributes["TANGENT"].isThere || attributes["NORMAL"].isThere, "\(location): tangents without normals")
        let bounds = accessors[position]
        expect(bounds["min"].isThere && bounds["max"].isThere, "\(location)/POSITION: without min and max")
        checkIndices(primitive, location, vertexCount: count(position))
        checkWeights(attributes, location)
        for (number, target) in primitive["targets"].elements.enumerated() {
            check(target: target, of: attributes, "\(location)/targets/\(number)", count: count(position))
        }
        checkWorn(primitive, location)
        for name in primitive["extensions"]["KHR_draco_mesh_compression"]["attributes"].members.keys.sorted() {
            expect(attributes[name].isThere, "\(location): Draco data of \(name), which it has not")
        }
    }

    private mutating func checkStream(_ name: String, _ json: JSONNode, _ location: String, count vertexCount: Int) {
        guard let accessor = reference(json, "accessors", location) else { return }
        use(accessor, as: .vertices)
        let kind = String(name.prefix { $0 != "_" })
        if !name.hasPrefix("_") {
            expect(Self.kinds[kind]?.contains(self.kind(accessor)) == true, "\(location): made of \(self.kind(accessor))")
        }
        expect(count(accessor) == vertexCount, "\(location): \(count(accessor)) for \(vertexCount) vertices")
        guard let values = values(accessor) else { return }
        expect(values.allSatisfy(\.isFinite), "\(location): a number that is not finite")
        switch kind {
        case "NORMAL": expect(Self.areUnit(values, width: 3, of: 3), "\(location): not unit vectors")
        case "TANGENT":
            expect(Self.areUnit(values, width: 4, of: 3), "\(location): not unit vectors")
            let signs = stride(from: 3, to: values.count, by: 4).map { values[$0] }
            expect(signs.allSatisfy { abs($0) == 1 }, "\(location): a sign that is neither 1 nor −1")
        case "COLOR" where self.kind(accessor).hasSuffix("5126"):
            expect(values.allSatisfy { (0...1).contains($0) }, "\(location): a colour outside 0…1")
        default: break
        }
    }

    static func areUnit(_ values: [Double], width: Int, of count: Int) -> Bool {
        guard values.count % width == 0 else { return false }
        return stride(from: 0, to: values.count, by: width).allSatisfy { first in
            let square = values[first..<first + count].reduce(0) { $0 + $1 * $1 }
            return abs(square.squareRoot() - 1) < 1e-4
        }
    }

    private mutating func checkNumbers(of set: String, _ attributes: JSONNode, _ location: String) {
        let names = attributes.members.keys.filter { $0.hasPrefix(set + "_") }
        let expected = names.indices.map { _ in "" }.enumerated().map { "\(set)_\($0.offset)" }
        expect(Set(names) == Set(expected), "\(location): \(set) are not numbered from 0")
    }

    private mutating func checkIndices(_ primitive: JSONNode, _ location: String, vertexCount: Int) {
        let mode = primitive["mode"].integer ?? 4
        var corners = vertexCount
        if let accessor = reference(primitive["indices"], "accessors", "\(location)/indices") {
            use(accessor, as: .indices)
            corners = count(accessor)
            let restarts = ["SCALAR 5121": 255.0, "SCALAR 5123": 65535, "SCALAR 5125": 4_294_967_295]
            let restart = restarts[kind(accessor)]
            expect(restart != nil, "\(location)/indices: made of \(kind(accessor))")
            if let values = values(accessor), let greatest = values.max() {
                expect(greatest < Double(vertexCount), "\(location)/indices: \(greatest) of \(vertexCount) vertices")
                expect(greatest != restart, "\(location)/indices: one restarts the primitive")
            }
        }
        let isWhole: Bool =
            switch mode {
            case 0: corners > 0
            case 1: corners > 0 && corners % 2 == 0
            case 2, 3: corners >= 2
            case 4: corners > 0 && corners % 3 == 0
            case 5, 6: corners >= 3
            default: false
            }
        expect(isWhole, "\(location): \(corners) corners in mode \(mode)")
    }

    /// The weights of a vertex sum to 1, and each of its joints is named once; a joint without weight is 0.
    private mutating func checkWeights(_ attributes: JSONNode, _ location: String) {
        var (sums, joints): ([Double], [[Double]]) = ([], [])
        var counts: [Int] = []
        for set in 0..<8 {
            guard let j = attributes["JOINTS_\(set)"].integer, let w = attributes["WEIGHTS_\(set)"].integer,
                accessors.indices.contains(j), accessors.indices.contains(w), let own = values(j), let raw = values(w),
                own.count == raw.count, own.count % 4 == 0
            else { break }
            let scale: Double = kind(w) == "VEC4 5123 normalized" ? 65_535 : kind(w) == "VEC4 5121 normalized" ? 255 : 1
            let weights = raw.map { $0 / scale }
            if sums.isEmpty { counts = Array(repeating: 0, count: own.count / 4) }
            if sums.isEmpty { (sums, joints) = (Array(repeating: 0, count: own.count / 4), Array(repeating: [], count: own.count / 4)) }
            guard sums.count == own.count / 4 else { return }
            for slot in own.indices {
                sums[slot / 4] += weights[slot]
                if weights[slot] > 0 {
                    joints[slot / 4].append(own[slot])
                    counts[slot / 4] += 1
                }
            }
            expect(weights.allSatisfy { $0 >= 0 }, "\(location): a negative weight")
            expect(zip(own, weights).allSatisfy { $0 == 0 || $1 > 0 }, "\(location): a joint without weight that is not 0")
        }
        // The tolerance of Khronos' validator.
        expect(zip(sums, counts).allSatisfy { abs($0 - 1) < 2e-7 * Double($1) }, "\(location): weights that don't sum to 1")
        expect(joints.allSatisfy { Set($0).count == $0.count }, "\(location): a joint twice in a vertex")
    }

    private mutating func check(target: JSONNode, of attributes: JSONNode, _ location: String, count vertexCount: Int) {
        for name in target.members.keys.sorted() {
            expect(["POSITION", "NORMAL", "TANGENT"].contains(name) && attributes[name].isThere, "\(location): \(name) without its base")
            guard let accessor = reference(target[name], "accessors", "\(location)/\(name)") else { continue }
            use(accessor, as: .vertices)
            expect(kind(accessor) == "VEC3 5126", "\(location)/\(name): made of \(kind(accessor))")
            expect(count(accessor) == vertexCount, "\(location)/\(name): \(count(accessor)) for \(vertexCount) vertices")
            let json = accessors[accessor]
            expect(name != "POSITION" || json["min"].isThere && json["max"].isThere, "\(location)/\(name): without min and max")
        }
    }

    /// A primitive has the coordinates that its materials, including those of variants, use.
    private mutating func checkWorn(_ primitive: JSONNode, _ location: String) {
        let mappings = primitive["extensions"]["KHR_materials_variants"]["mappings"].elements
        let names = root["extensions"]["KHR_materials_variants"]["variants"].elements
        let sets = primitive["attributes"].members.keys.count { $0.hasPrefix("TEXCOORD_") }
        for mapping in mappings {
            expect(mapping["variants"].integers.allSatisfy { names.indices.contains($0) }, "\(location): an invalid variant")
        }
        let variants = mappings.flatMap { $0["variants"].integers }
        expect(Set(variants).count == variants.count, "\(location): two materials for one variant")
        for json in [primitive["material"]] + mappings.map({ $0["material"] }) {
            guard let material = reference(json, "materials", "\(location)/material") else { continue }
            var needed = 0
            materials[material].visit { _, key, value in
                guard key.hasSuffix("Texture") else { return }
                let own = value["extensions"]["KHR_texture_transform"]["texCoord"].integer ?? value["texCoord"].integer ?? 0
                needed = max(needed, own + 1)
            }
            expect(needed <= sets, "\(location): material \(material) uses \(needed) sets of coordinates, of which \(sets) exist")
        }
    }
}
