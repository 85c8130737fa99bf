extension GLTFImporter {
    /// Warns about members that would be passed over: unknown names, extensions in the wrong place or not announced, empty arrays.
    func checkMembers() {
        var pending: [(value: JSONValue, object: GLTFSchema.Object)] = [(root, .root)]
        while let (value, object) = pending.popLast() {
            guard value.kind == .object else { continue }
            for index in 0..<value.count {
                let (key, child) = value.memberIDs(index)
                if document.isString(key, equalTo: "extras") { continue }
                if document.isString(key, equalTo: "extensions") {
                    pending += checkedExtensions(child, object)
                    continue
                }
                guard let member = find(key, in: GLTFSchema.members[Int(object.rawValue)]) else {
                    warn(child, "glTF knows no such property here; it was ignored")
                    continue
                }
                if child.kind == .array, child.count == 0 { warn(child, "is empty; it should be left out") }
                guard let type = member.object else { continue }
                if child.kind == .array {
                    for element in (0..<child.count).reversed() { pending.append((child[element], type)) }
                } else {
                    pending.append((child, type))
                }
            }
        }
    }

    private func checkedExtensions(_ json: JSONValue, _ object: GLTFSchema.Object) -> [(value: JSONValue, object: GLTFSchema.Object)] {
        guard json.kind == .object else { return [] }
        var found: [(value: JSONValue, object: GLTFSchema.Object)] = []
        for index in 0..<json.count {
            let (key, child) = json.memberIDs(index)
            let name = String(decoding: document.utf8(of: key), as: UTF8.self)
            if !declaredExtensions.contains(name) { warn(child, "the extension is missing in extensionsUsed") }
            if let member = find(key, in: GLTFSchema.extensions[Int(object.rawValue)]), let type = member.object {
                found.append((child, type))
            } else if supportedExtensions.contains(name) {
                warn(child, "the extension has no meaning here; it was ignored")
            }
        }
        return found
    }

    private func find(_ key: Int, in members: [GLTFSchema.Member]) -> GLTFSchema.Member? {
        for member in members where document.isString(key, equalTo: member.name) { return member }
        return nil
    }
}
