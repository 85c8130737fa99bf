import VitrineMath
import VitrineScene

/// Reads the lights of KHR_lights_punctual.
enum GLTFLights {
    /// Reads the lights; nil represents a light of unknown type.
    static func read(_ root: GLTFRoot, _ context: GLTFContext) throws(GLTFError) -> [Light?] {
        if let json = try root.json.extension("KHR_lights_punctual"), json["lights"] == nil {
            context.warn(json, "\"lights\" is missing")
        }
        var lights: [Light?] = []
        for json in root.lights { lights.append(try light(json, context)) }
        return lights
    }

    /// Reads a light; returns nil, with a warning, for an unknown type.
    private static func light(_ json: JSONValue, _ context: GLTFContext) throws(GLTFError) -> Light? {
        let color = try json.floats("color", count: 3) ?? [1, 1, 1]
        let intensity = try context.factor(json, "intensity", in: 0...Float.greatestFiniteMagnitude, default: 1)
        let range = try json.float("range")
        if let range, range <= 0 { throw json.failure("range", "must be greater than 0") }
        guard let kind = try kind(json, context) else { return nil }
        return Light(
            kind, color: Color(linearRed: color[0], green: color[1], blue: color[2]), intensity: intensity, range: range)
    }

    private static func kind(_ json: JSONValue, _ context: GLTFContext) throws(GLTFError) -> Light.Kind? {
        guard let type = try json.string("type") else { throw json.failure("type", "is missing") }
        switch type {
        case "directional": return .directional
        case "point": return .point
        case "spot":
            guard let spot = try json.object("spot") else { throw json.failure("spot", "is missing") }
            let inner = try spot.float("innerConeAngle") ?? 0
            let outer = try spot.float("outerConeAngle") ?? .pi / 4
            // Rounding may make π / 2 slightly too large.
            guard inner >= 0, inner < outer, outer <= .pi / 2 + 1e-5 else {
                throw spot.failure("must satisfy 0 ≤ innerConeAngle < outerConeAngle ≤ π/2")
            }
            return .spot(inner: .radians(inner), outer: .radians(min(outer, .pi / 2)))
        default:
            context.warn(json["type"] ?? json, "must be directional, point or spot; the light was ignored")
            return nil
        }
    }
}
