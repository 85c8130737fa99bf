import VitrineMath
import VitrineScene

/// KHR_lights_punctual.
extension GLTFImporter {
    func readLights() throws(GLTFError) {
        if let json = try root.extension("KHR_lights_punctual"), json["lights"] == nil { warn(json, "\"lights\" is missing") }
        for json in lightList { lights.append(try light(json)) }
    }

    /// nil for a light of unknown type.
    private func light(_ json: JSONValue) throws(GLTFError) -> Light? {
        let color = try json.floats("color", count: 3) ?? [1, 1, 1]
        let intensity = try factor(json, "intensity", in: 0...Float.greatestFiniteMagnitude, default: 1)
        let range = try json.float("range")
        if let range, range <= 0 { throw json.failure("range", "must be greater than 0") }
        guard let kind = try kind(json) else { return nil }
        return Light(
            kind, color: Color(linearRed: color[0], green: color[1], blue: color[2]), intensity: intensity, range: range)
    }

    private func kind(_ json: JSONValue) throws(GLTFError) -> Light.Kind? {
        guard let type = try json.string("type") else { throw json.failure("type", "is missing") }
        switch type {
        case "directional": return .directional
        case "point": return .point
        case "spot":
            guard let spot = try json.object("spot") else { throw json.failure("spot", "is missing") }
            let inner = try spot.float("innerConeAngle") ?? 0
            let outer = try spot.float("outerConeAngle") ?? .pi / 4
            // The file may write π / 2 a hair too large.
            guard inner >= 0, inner < outer, outer <= .pi / 2 + 1e-5 else {
                throw spot.failure("0 ≤ innerConeAngle < outerConeAngle ≤ π/2 doesn't hold")
            }
            return .spot(inner: .radians(inner), outer: .radians(min(outer, .pi / 2)))
        default:
            warn(json["type"] ?? json, "must be directional, point or spot; the light was left out")
            return nil
        }
    }
}
