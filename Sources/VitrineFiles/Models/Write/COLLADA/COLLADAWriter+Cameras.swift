import VitrineMath
import VitrineScene

extension COLLADAWriter {
    /// What infinity is written as, times the nearest.
    private static var farFactor: Float { 1e6 }

    mutating func addCamerasAndLights() {
        cameraIDs = contents.entries.indices.filter { contents.entries[$0].node.camera != nil }
        lightIDs = contents.entries.indices.filter { isWritten(light: $0) }
        if !cameraIDs.isEmpty {
            text.open("library_cameras")
            for index in cameraIDs { if let camera = contents.entries[index].node.camera { add(camera, index) } }
            text.close()
        }
        if !lightIDs.isEmpty {
            text.open("library_lights")
            for index in lightIDs { if let light = contents.entries[index].node.light { add(light, index) } }
            text.close()
        }
    }

    private mutating func add(_ camera: Camera, _ index: Int) {
        let entry = contents.entries[index]
        if camera.exposure != 0 { leaveOut("the camera's exposure of \(camera.exposure) stops", at: entry.place) }
        var far = camera.far
        if !far.isFinite {
            far = max(camera.near, 0.001) * Self.farFactor
            warnings.append(ModelWarning(place: entry.place, message: "the camera sees infinitely far: written as far as \(far) m"))
        }
        text.open("camera", Self.named("camera\(index)", entry.node.name))
        text.open("optics")
        text.open("technique_common")
        switch camera.projection {
        case .perspective(let angle):
            text.open("perspective")
            // A width of its own; else the window's.
            if let aspect = camera.aspectRatio {
                text.leaf("xfov", floats: [2 * atan2(tan(angle.radians / 2) * aspect, 1) * 180 / .pi])
            }
            text.leaf("yfov", floats: [angle.degrees])
        case .orthographic(let scale):
            text.open("orthographic")
            if let aspect = camera.aspectRatio { text.leaf("xmag", floats: [scale * aspect]) }
            text.leaf("ymag", floats: [scale])
        }
        text.leaf("znear", floats: [camera.near])
        text.leaf("zfar", floats: [far])
        for _ in 0..<4 { text.close() }
    }

    // MARK: Lights

    private mutating func isWritten(light index: Int) -> Bool {
        guard let light = contents.entries[index].node.light else { return false }
        switch light.kind {
        case .ambient, .directional, .point, .spot: break
        default:
            leaveOut("a light of the kind \(light.kind)", at: contents.entries[index].place)
            return false
        }
        let color = light.linearIntensity
        if !color.x.isFinite || !color.y.isFinite || !color.z.isFinite || color.min() < 0 {
            leaveOut("a light whose colour is negative or no number", at: contents.entries[index].place)
            return false
        }
        return true
    }

    private mutating func add(_ light: Light, _ index: Int) {
        let entry = contents.entries[index]
        if light.range != nil { leaveOut("the light's range", at: entry.place) }
        text.open("light", Self.named("light\(index)", entry.node.name))
        text.open("technique_common")
        let intensity = light.linearIntensity
        switch light.kind {
        case .ambient:
            text.open("ambient")
            text.leaf("color", floats: Self.encoded(intensity))
        case .directional:
            text.open("directional")
            // π lux on a surface that faces it show its colour.
            text.leaf("color", floats: Self.encoded(intensity / .pi))
        default:
            text.open(light.kind == .point ? "point" : "spot")
            let peak = intensity.max()
            text.leaf("color", floats: Self.encoded(peak > 0 ? intensity / peak : intensity))
            let share: Float = peak > 0 ? .pi / peak : 1
            let divisor: [Float] =
                switch light.attenuation {
                case .inverseSquare: [0, 0, share]
                case .polynomial(let constant, let linear, let quadratic): [constant * share, linear * share, quadratic * share]
                }
            for (name, value) in zip(["constant", "linear", "quadratic"], divisor) { text.leaf("\(name)_attenuation", floats: [value]) }
        }
        if case .spot(let inner, let outer) = light.kind {
            text.leaf("falloff_angle", floats: [2 * outer.degrees])
            let isHard = inner.radians >= outer.radians * 0.98
            let exponent = isHard ? 0 : COLLADAReader.exponent(ofInner: inner.radians, outer: outer.radians)
            if !isHard {
                warnings.append(ModelWarning(place: entry.place, message: "the cone's soft edge: written as a fall-off of cos^\(exponent)"))
            }
            text.leaf("falloff_exponent", floats: [exponent])
        }
        for _ in 0..<3 { text.close() }
    }
}
