import VitrineMath
import VitrineScene

/// EXT_mesh_gpu_instancing.
extension GLBWriter {
    /// Numbers the nodes, those of a group of instances as one.
    mutating func findInstances() {
        var stands = [Bool](repeating: true, count: contents.entries.count)
        if options.writesInstances {
            let busy = busyEntries
            for siblings in [contents.roots] + contents.entries.map(\.children) {
                var groups: [Int: [Int]] = [:]
                for index in siblings where !busy.contains(index) {
                    if let mesh = contents.entries[index].mesh { groups[mesh, default: []].append(index) }
                }
                for (_, members) in groups.sorted(by: { $0.key < $1.key }) where members.count > 1 {
                    instances[members[0]] = members
                    for member in members.dropFirst() { stands[member] = false }
                }
            }
        }
        var number = 0
        nodeNumbers = stands.map { stands in
            defer { number += stands ? 1 : 0 }
            return stands ? number : -1
        }
    }

    func isWritten(entry index: Int) -> Bool { nodeNumbers[index] >= 0 }

    /// Entries that are more than a mesh at a place.
    private var busyEntries: Set<Int> {
        var busy = Set(contents.skins.flatMap(\.joints) + contents.clips.flatMap { $0.tracks.map(\.entry) })
        for (index, entry) in contents.entries.enumerated() {
            let node = entry.node
            let isPlain =
                entry.children.isEmpty && entry.skin == nil && node.camera == nil && node.light == nil && node.morphWeights.isEmpty
                && node.opacity == 1 && Self.hasParts(entry)
            if !isPlain { busy.insert(index) }
        }
        return busy
    }

    mutating func json(instances members: [Int]) -> JSONText {
        extensions.insert("EXT_mesh_gpu_instancing")
        let entries = members.map { contents.entries[$0] }
        let transforms = entries.map { $0.parentFromLocal == .identity ? Transform.identity : $0.node.localTransform }
        let name = entries[0].node.name
        if entries.contains(where: { !$0.node.name.isEmpty && $0.node.name != name }) {
            warnings.append(
                ModelWarning(place: entries[0].place, message: "stands for \(members.count) instances, whose names are not written"))
        }
        var attributes: [(String, JSONText)] = []
        let translations = transforms.flatMap { $0.translation.array }
        attributes.append(("TRANSLATION", .integer(binary.floats(translations, shape: "VEC3", use: .data))))
        if transforms.contains(where: { $0.rotation != .identity }) {
            let rotations = transforms.flatMap { transform -> [Float] in
                let vector = transform.rotation.normalized.vector
                return [vector.x, vector.y, vector.z, vector.w]
            }
            attributes.append(("ROTATION", .integer(binary.floats(rotations, shape: "VEC4", use: .data))))
        }
        if transforms.contains(where: { $0.scale != Vector3(repeating: 1) }) {
            attributes.append(("SCALE", .integer(binary.floats(transforms.flatMap { $0.scale.array }, shape: "VEC3", use: .data))))
        }
        let label: [(String, JSONText)] = name.isEmpty ? [] : [("name", .string(name))]
        let instancing = JSONText.object([("attributes", .object(attributes))])
        return .object(
            label + [
                ("mesh", .integer(entries[0].mesh ?? 0)), ("extensions", .object([("EXT_mesh_gpu_instancing", instancing)])),
            ])
    }
}
