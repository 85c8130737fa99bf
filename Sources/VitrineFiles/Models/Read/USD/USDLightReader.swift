import VitrineGLTF
import VitrineMath
import VitrineScene

/// Reads cameras (UsdGeomCamera) and lights (UsdLux).
struct USDLightReader {
    let stage: USDStage
    let scene: Scene
    /// The unit of the stage in metres.
    let metres: Float

    /// Reads a UsdGeomCamera: focal length and apertures in tenths of a unit, looking along −Z.
    func camera(_ prim: Int) -> Camera {
        func number(_ name: String, _ fallback: Float) -> Float {
            let value = stage.start(prim, name)?.float ?? fallback
            return value.isFinite && value > 0 ? value : fallback
        }
        let (width, height) = (number("horizontalAperture", 20.955), number("verticalAperture", 15.2908))
        var camera = Camera()
        if stage.start(prim, "projection")?.text == "orthographic" {
            camera.projection = .orthographic(scale: height / 20 * metres)
        } else {
            camera.projection = .perspective(fieldOfView: .radians(2 * atan2(height, 2 * number("focalLength", 50))))
        }
        camera.aspectRatio = width / height
        let range = stage.start(prim, "clippingRange")?.floats ?? [1, 1_000_000]
        if range.count == 2, range[0] > 0, range[1] > range[0] { (camera.near, camera.far) = (range[0] * metres, range[1] * metres) }
        let exposure = stage.start(prim, "exposure")?.float ?? 0
        if exposure.isFinite { camera.exposure = exposure }
        let (stop, focus) = (stage.start(prim, "fStop")?.float ?? 0, stage.start(prim, "focusDistance")?.float ?? 0)
        if stop > 0, focus > 0, (stop + focus).isFinite {
            // A tenth of a unit in millimetres.
            camera.lens = Lens(focusDistance: focus * metres, fNumber: stop, sensorHeight: height * metres * 100)
        }
        return camera
    }

    /// Reads a UsdLux light: intensity · 2^exposure is the luminance of the light's surface in nits, approximated as seen from afar.
    func light(_ prim: Int, _ type: String) -> Light {
        // Older files have no "inputs:".
        func value(_ name: String) -> USDField? { stage.start(prim, "inputs:\(name)") ?? stage.start(prim, name) }
        func number(_ name: String, _ fallback: Float) -> Float {
            let value = value(name)?.float ?? fallback
            return value.isFinite ? value : fallback
        }
        let rgb = value("color")?.floats ?? [1, 1, 1]
        let color = rgb.count == 3 && rgb.allSatisfy(\.isFinite) ? Color(linear: Vector4(rgb[0], rgb[1], rgb[2], 1)) : .white
        let luminance = number("intensity", type == "DistantLight" ? 50_000 : 1) * exp2(clamp(number("exposure", 0), -64, 64))
        let isNormalized = value("normalize")?.number == 1
        let temperature = value("enableColorTemperature")?.number == 1 ? number("colorTemperature", 6500) : nil
        var light = Light(.directional, color: color, temperature: temperature)
        if type == "DistantLight" {
            // The disc of the source: π sin² of half its angle at perpendicular incidence.
            let angle = clamp(number("angle", 0.53), 0, 180)
            let half = sin(angle * Float.pi / 360)
            light.intensity = isNormalized || half == 0 ? luminance : luminance * Float.pi * half * half
            light.angularDiameter = .degrees(angle)
            return light
        }
        let area = self.area(type, number)
        // Normalized to the whole surface.
        let nits = isNormalized ? luminance / area.whole : luminance
        switch type {
        case "RectLight":
            light.kind = .rectangle(width: size("width", 1, number), height: size("height", 1, number))
            light.intensity = nits
        case "DiskLight":
            light.kind = .disc(radius: size("radius", 0.5, number))
            light.intensity = nits
        default:
            // The intensity in a direction is proportional to the visible area.
            light.kind = .point
            light.intensity = nits * area.seen
            if type == "CylinderLight" {
                stage.warn(prim, "a cylinder light is approximated by a point light")
            } else if value("treatAsPoint")?.number != 1 {
                light.radius = size("radius", 0.5, number)
            }
        }
        let cone = number("shaping:cone:angle", 90)
        if cone < 90, cone > 0 {
            if light.kind != .point { stage.warn(prim, "an area light with a cone is approximated by a spot light") }
            if light.kind != .point { light.intensity = nits * area.seen }
            let inner = cone * (1 - clamp(number("shaping:cone:softness", 0), 0, 0.999))
            light.kind = .spot(inner: .degrees(min(inner, cone * 0.999)), outer: .degrees(cone))
        }
        return light
    }

    /// Returns a size in metres, above 0.
    private func size(_ name: String, _ fallback: Float, _ number: (String, Float) -> Float) -> Float {
        max(number(name, fallback), 1e-6) * metres
    }

    /// Returns the area of a light's surface and of its projection to the front, in square metres.
    private func area(_ type: String, _ number: (String, Float) -> Float) -> (whole: Float, seen: Float) {
        let radius = size("radius", 0.5, number)
        switch type {
        case "RectLight":
            let area = size("width", 1, number) * size("height", 1, number)
            return (area, area)
        case "DiskLight": return (Float.pi * radius * radius, Float.pi * radius * radius)
        case "CylinderLight":
            let length = size("length", 1, number)
            return (2 * Float.pi * radius * length, 2 * radius * length)
        default: return (4 * Float.pi * radius * radius, Float.pi * radius * radius)
        }
    }

    /// Reads the first dome light as the environment.
    func readDome(_ prim: Int, _ node: Node) {
        guard scene.environment.image == nil else { return stage.warn(prim, "only the first dome light is supported") }
        let shaders = USDShaderGraph(stage: stage)
        func value(_ name: String) -> USDInput? { shaders.follow(prim, "inputs:\(name)") ?? shaders.follow(prim, name) }
        func field(_ name: String) -> USDField? { if case .value(let field, _)? = value(name) { field } else { nil } }
        let rgb = field("color")?.floats ?? [1, 1, 1]
        let exposure = clamp(field("exposure")?.float ?? 0, -64, 64)
        let strength = (field("intensity")?.float ?? 1) * exp2(exposure)
        guard rgb.count == 3, (rgb + [strength]).allSatisfy(\.isFinite) else { return stage.warn(prim, "has numbers that are not finite") }
        guard case .value(let file, let site)? = value("texture:file"), let path = file.text, !path.isEmpty else {
            // One colour from all directions.
            node.light = Light(.ambient, color: Color(linear: Vector4(rgb[0], rgb[1], rgb[2], 1)), intensity: strength)
            return
        }
        scene.environment.intensity = strength
        do throws(FileError) {
            let bytes = try stage.layers.file(path, from: site.document)
            do throws(ImageFileError) {
                scene.environment.image = try ImageFile.decode(bytes, name: path)
            } catch {
                stage.warn(prim, "the image \"\(MessageText.name(path, limit: 200))\" was ignored: \(error.reason)")
            }
        } catch {
            stage.warn(prim, "the image \"\(MessageText.name(path, limit: 200))\" was ignored: \(error.reason)")
        }
        if rgb != [1, 1, 1] { stage.warn(prim, "the tint of an image is not supported") }
        if let format = field("texture:format")?.text, format != "latlong", format != "automatic" {
            stage.warn(prim, "the image layout \"\(MessageText.name(format))\" is not supported; latlong is used")
        }
        // Only the rotation about the vertical axis.
        let ahead = node.transform.transform(direction: Vector3(1, 0, 0))
        scene.environment.rotation = .radians(atan2(-ahead.z, ahead.x))
    }
}
