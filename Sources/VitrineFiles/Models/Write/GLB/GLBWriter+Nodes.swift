import VitrineMath
import VitrineScene

extension GLBWriter {
    var scene: JSONText {
        var members: [(String, JSONText)] = contents.name.isEmpty ? [] : [("name", .string(contents.name))]
        let roots =
            contents.roots.filter { isWritten(entry: $0) && !isMovedToRoot(entry: $0) }.map { nodeNumbers[$0] }
            + skinnedRoots.map(\.number)
        if !roots.isEmpty { members.append(("nodes", .integers(roots))) }
        return .object(members)
    }

    mutating func json(_ entry: SceneContents.Entry, number: Int) -> JSONText {
        if let members = instances[number] { return json(instances: members) }
        let node = entry.node
        var members: [(String, JSONText)] = node.name.isEmpty ? [] : [("name", .string(node.name))]
        if let camera = node.camera, let index = index(of: camera, at: entry.place) { members.append(("camera", .integer(index))) }
        if !givesMeshAway(entry: number) { members += meshMembers(entry) }
        if isMovedToRoot(entry: number) { return .object(members) }
        if !Self.hasParts(entry), Self.isSheared(entry.parentFromLocal) {
            let message = "a sheared transform: written as a matrix, which glTF's readers may show without the shear"
            warnings.append(ModelWarning(place: entry.place, message: message))
        }
        members += Self.placement(entry)
        let children = entry.children.filter { isWritten(entry: $0) && !isMovedToRoot(entry: $0) }
        if !children.isEmpty { members.append(("children", .integers(children.map { nodeNumbers[$0] }))) }
        if let light = node.light, let index = index(of: light, name: node.name, at: entry.place) {
            members.append(("extensions", .object([("KHR_lights_punctual", .object([("light", .integer(index))]))])))
        }
        return .object(members)
    }

    /// As many as targets; those that can't be written are 0.
    static func weights(_ weights: [Float], count: Int) -> JSONText {
        .floats((0..<count).map { $0 < weights.count && weights[$0].isFinite ? weights[$0] : 0 })
    }

    /// Whether the node's place is written as translation, rotation and scale, as animations want it.
    static func hasParts(_ entry: SceneContents.Entry) -> Bool {
        entry.parentFromLocal == .identity || entry.node.localTransform.matrix == entry.parentFromLocal
    }

    /// Whether the axes don't stand square on each other, within what rounding does.
    private static func isSheared(_ matrix: Matrix4) -> Bool {
        let (x, y, z) = (normalize(matrix.x.xyz), normalize(matrix.y.xyz), normalize(matrix.z.xyz))
        return max(abs(dot(x, y)), abs(dot(y, z)), abs(dot(z, x))) > 1e-3
    }

    private static func placement(_ entry: SceneContents.Entry) -> [(String, JSONText)] {
        let (local, matrix) = (entry.node.localTransform, entry.parentFromLocal)
        if matrix == .identity { return [] }
        guard hasParts(entry) else {
            let values = [matrix.x, matrix.y, matrix.z, matrix.w].flatMap { [$0.x, $0.y, $0.z, $0.w] }
            return [("matrix", .floats(values))]
        }
        var members: [(String, JSONText)] = []
        if local.translation != Vector3(repeating: 0) { members.append(("translation", .floats(local.translation.array))) }
        let rotation = local.rotation.normalized
        if rotation != .identity {
            members.append(("rotation", .floats([rotation.vector.x, rotation.vector.y, rotation.vector.z, rotation.vector.w])))
        }
        if local.scale != Vector3(repeating: 1) { members.append(("scale", .floats(local.scale.array))) }
        return members
    }

    // MARK: Skins

    mutating func json(_ entry: SceneContents.SkinEntry) -> JSONText {
        var matrices: [Float] = []
        for m in entry.skin.inverseBindMatrices {
            // The last row is exact by the specification.
            for (column, last) in [(m.x, 0), (m.y, 0), (m.z, 0), (m.w, 1)] as [(Vector4, Float)] {
                matrices += [column.x, column.y, column.z, last]
            }
        }
        let name: [(String, JSONText)] = entry.skin.name.isEmpty ? [] : [("name", .string(entry.skin.name))]
        let accessor = binary.floats(matrices, shape: "MAT4", use: .data)
        return .object(name + [("inverseBindMatrices", .integer(accessor)), ("joints", .integers(entry.joints.map { nodeNumbers[$0] }))])
    }

    // MARK: Cameras

    /// nil for a camera that glTF does not support.
    private mutating func index(of camera: Camera, at place: String) -> Int? {
        func warn(_ message: String) { warnings.append(ModelWarning(place: place, message: message)) }
        let isSound: Bool =
            switch camera.projection {
            case .perspective(let angle): camera.near > 0 && camera.far > camera.near && angle.radians > 0 && angle.radians < .pi
            case .orthographic(let scale): camera.near >= 0 && camera.far > camera.near && scale > 0 && scale.isFinite
            }
        guard isSound, camera.near.isFinite else {
            warn("a camera: not written (near, far or its size are no camera's)")
            return nil
        }
        if camera.exposure != 0 { warn("the camera's exposure of \(camera.exposure) stops: not written") }
        if case .orthographic = camera.projection {
            if camera.aspectRatio == nil { warn("the orthographic camera has no width of its own: written as a square") }
            if !camera.far.isFinite { warn("the orthographic camera sees infinitely far: written as far as \(Self.far(camera)) m") }
        }
        if let known = cameras.firstIndex(of: camera) { return known }
        cameras.append(camera)
        return cameras.count - 1
    }

    private static func far(_ camera: Camera) -> Float { camera.far.isFinite ? camera.far : camera.near + 1e6 }

    static func json(_ camera: Camera) -> JSONText {
        switch camera.projection {
        case .perspective(let angle):
            var values: [(String, JSONText)] = [("yfov", .float(angle.radians)), ("znear", .float(camera.near))]
            if camera.far.isFinite { values.append(("zfar", .float(camera.far))) }
            if let aspect = camera.aspectRatio, aspect > 0 { values.append(("aspectRatio", .float(aspect))) }
            return .object([("type", .string("perspective")), ("perspective", .object(values))])
        case .orthographic(let scale):
            let values: [(String, JSONText)] = [
                ("xmag", .float(scale * (camera.aspectRatio ?? 1))), ("ymag", .float(scale)), ("znear", .float(camera.near)),
                ("zfar", .float(far(camera))),
            ]
            return .object([("type", .string("orthographic")), ("orthographic", .object(values))])
        }
    }

    // MARK: Lights

    /// nil for a light that KHR_lights_punctual does not support.
    private mutating func index(of light: Light, name: String, at place: String) -> Int? {
        switch light.kind {
        case .directional, .point, .spot: break
        default:
            warnings.append(ModelWarning(place: place, message: "its \(light.kind) light: not supported by glTF"))
            return nil
        }
        let colour = light.linearIntensity
        guard colour.x.isFinite, colour.y.isFinite, colour.z.isFinite, colour.min() >= 0 else {
            warnings.append(ModelWarning(place: place, message: "a light: not written (its colour or intensity is negative or no number)"))
            return nil
        }
        if light.attenuation != .inverseSquare, light.kind != .directional {
            warnings.append(ModelWarning(place: place, message: "a light's attenuation other than 1/d²: not written"))
        }
        extensions.insert("KHR_lights_punctual")
        lights.append((name, light))
        return lights.count - 1
    }

    static func json(_ light: Light, name: String) -> JSONText {
        let colour = light.linearIntensity
        // Colors are limited to 1 in the file; the rest is intensity. Values within 0…1 stay exact.
        let own = light.color.linear.xyz
        let isPlain = light.temperature == nil && own.max() <= 1 && own.min() >= 0
        let intensity = isPlain ? light.intensity : colour.max()
        let tint = isPlain ? own : intensity > 0 ? colour / intensity : Vector3(repeating: 1)
        var members: [(String, JSONText)] = name.isEmpty ? [] : [("name", .string(name))]
        switch light.kind {
        case .directional: members.append(("type", .string("directional")))
        case .spot(let inner, let outer):
            let cone: [(String, JSONText)] = [("innerConeAngle", .float(inner.radians)), ("outerConeAngle", .float(outer.radians))]
            members += [("type", .string("spot")), ("spot", .object(cone))]
        default: members.append(("type", .string("point")))
        }
        if tint != Vector3(repeating: 1) { members.append(("color", .floats(tint.array))) }
        members.append(("intensity", .float(intensity)))
        if let range = light.range, range > 0, range.isFinite, light.kind != .directional { members.append(("range", .float(range))) }
        return .object(members)
    }
}
