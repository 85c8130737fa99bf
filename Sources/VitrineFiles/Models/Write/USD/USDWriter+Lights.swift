import VitrineMath
import VitrineScene

extension USDWriter {
    /// A node that only holds a camera or a light is that.
    func typeName(of entry: SceneContents.Entry) -> String {
        switch (entry.node.camera, entry.node.light) {
        case (.some, nil): "Camera"
        case (nil, let light?): Self.typeName(light)
        default: "Xform"
        }
    }

    private static func typeName(_ light: Light) -> String {
        switch light.kind {
        case .ambient: "DomeLight"
        case .directional: "DistantLight"
        case .point, .spot: "SphereLight"
        case .rectangle: "RectLight"
        case .disc: "DiskLight"
        }
    }

    mutating func addCameraAndLight(of entry: SceneContents.Entry, to prim: Int) {
        let isOne = layer.prims[prim].typeName != "Xform"
        if let camera = entry.node.camera { add(camera, to: isOne ? prim : layer.add("Camera", named: "Camera", below: prim)) }
        if let light = entry.node.light {
            add(light, to: isOne ? prim : layer.add(Self.typeName(light), named: "Light", below: prim), at: entry.place)
        }
    }

    /// Apertures and focal length in tenths of a metre.
    private mutating func add(_ camera: Camera, to prim: Int) {
        let far = camera.far.isFinite ? camera.far : 1e6
        layer.prims[prim].set("clippingRange", "float2", .float2(max(camera.near, 1e-6), max(far, camera.near * 2)))
        if camera.exposure != 0 { layer.prims[prim].set("exposure", "float", .float(camera.exposure)) }
        let height: Float
        switch camera.projection {
        case .perspective(let angle):
            height = (camera.lens?.sensorHeight ?? 24) / 100
            layer.prims[prim].set("focalLength", "float", .float(height / (2 * tan(angle.radians / 2))))
            if let lens = camera.lens {
                layer.prims[prim].set("fStop", "float", .float(lens.fNumber))
                layer.prims[prim].set("focusDistance", "float", .float(lens.focusDistance))
            }
        case .orthographic(let scale):
            height = scale * 20
            layer.prims[prim].set("projection", "token", .token("orthographic"))
        }
        layer.prims[prim].set("horizontalAperture", "float", .float(height * (camera.aspectRatio ?? 1.5)))
        layer.prims[prim].set("verticalAperture", "float", .float(height))
    }

    /// Luminance of the light's surface, as UsdLux has it.
    private mutating func add(_ light: Light, to prim: Int, at place: String) {
        let color = light.color.linear
        layer.prims[prim].set("inputs:color", "color3f", .float3(color.x, color.y, color.z))
        if let temperature = light.temperature {
            layer.prims[prim].set("inputs:colorTemperature", "float", .float(temperature))
            layer.prims[prim].set("inputs:enableColorTemperature", "bool", .bool(true))
        }
        if light.range != nil { leaveOut("a light's range", at: place) }
        if light.attenuation != .inverseSquare { leaveOut("a light's attenuation other than 1/d²", at: place) }
        var intensity = light.intensity
        switch light.kind {
        case .ambient: break
        case .directional:
            // Normalized: what a surface that faces it gets.
            layer.prims[prim].set("inputs:angle", "float", .float(light.angularDiameter.degrees))
            layer.prims[prim].set("inputs:normalize", "bool", .bool(true))
        case .rectangle(let width, let height):
            layer.prims[prim].set("inputs:width", "float", .float(width))
            layer.prims[prim].set("inputs:height", "float", .float(height))
        case .disc(let radius): layer.prims[prim].set("inputs:radius", "float", .float(radius))
        case .point, .spot:
            let radius = light.radius > 0 ? light.radius : 0.01
            intensity /= Float.pi * radius * radius
            layer.prims[prim].set("inputs:radius", "float", .float(radius))
            if light.radius <= 0 { layer.prims[prim].set("treatAsPoint", "bool", .bool(true)) }
        }
        layer.prims[prim].set("inputs:intensity", "float", .float(intensity))
        guard case .spot(let inner, let outer) = light.kind else { return }
        layer.prims[prim].apiSchemas.append("ShapingAPI")
        layer.prims[prim].set("inputs:shaping:cone:angle", "float", .float(outer.degrees))
        layer.prims[prim].set("inputs:shaping:cone:softness", "float", .float(clamp(1 - inner.radians / max(outer.radians, 1e-6), 0, 1)))
    }
}
