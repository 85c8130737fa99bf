import VitrineMath
import VitrineScene

extension COLLADAReader {
    func place(light element: XMLElement, on entry: PlacedNode) throws(ModelFileError) {
        guard let technique = element.child("technique_common"),
            let kind = technique.children.first(where: { ["ambient", "directional", "point", "spot"].contains($0.name) })
        else {
            warn(element, "the light has no common technique")
            return
        }
        let numbers = try kind.child("color")?.floats(limit: 16) ?? [1, 1, 1]
        let color = Self.linear(numbers)
        let node = entry.node.light == nil ? entry.node : added(element.title, below: entry.node)
        switch kind.name {
        case "ambient": node.light = Light(.ambient, color: Color(linear: Vector4(color, 1)))
        case "directional":
            // A surface that faces the light shows its colour times the light's: π lux do that.
            node.light = Light(.directional, color: Color(linear: Vector4(color, 1)), intensity: .pi)
        default:
            node.light = Light(try kind.name == "spot" ? cone(kind) : .point, color: Color(linear: Vector4(color, 1)))
            try attenuate(&node.light, kind)
        }
    }

    /// At distance d, in units of the file, a light is divided by constant + linear · d + quadratic · d²: π lux where that is 1.
    private func attenuate(_ light: inout Light?, _ kind: XMLElement) throws(ModelFileError) {
        func factor(_ name: String, _ standard: Float) throws(ModelFileError) -> Float {
            guard let value = try kind.child(name)?.float(), value.isFinite, value >= 0 else { return standard }
            return value
        }
        var constant = try factor("constant_attenuation", 1)
        let (linear, quadratic) = (try factor("linear_attenuation", 0), try factor("quadratic_attenuation", 0))
        if constant + linear + quadratic == 0 {
            warn(kind, "a light divided by nothing: taken as without attenuation")
            constant = 1
        }
        if constant == 0, linear == 0 {
            light?.intensity = .pi * metres * metres / quadratic
        } else {
            light?.intensity = .pi
            light?.attenuation = .polynomial(constant: constant, linear: linear / metres, quadratic: quadratic / (metres * metres))
        }
    }

    /// The file has the whole angle and an exponent of the cosine inside; ours is full inside and fades to the edge.
    private func cone(_ kind: XMLElement) throws(ModelFileError) -> Light.Kind {
        let degrees = try kind.child("falloff_angle")?.float() ?? 180
        let exponent = try kind.child("falloff_exponent")?.float() ?? 0
        let outer = clamp(Angle.degrees(clamp(degrees.isFinite ? degrees : 180, 0.02, 360) / 2).radians, 1e-4, .pi / 2)
        guard exponent.isFinite, exponent > 0 else { return .spot(inner: .radians(outer * 0.99), outer: .radians(outer)) }
        let inner = Self.inner(ofExponent: exponent, outer: outer)
        warn(kind, "a fall-off of cos^\(exponent) in the cone is shown as a soft edge", kind: "falloff exponent")
        return .spot(inner: .radians(min(inner, outer * 0.99)), outer: .radians(outer))
    }

    /// Ours falls from the inner to the outer angle with the square of where the cosine lies between theirs; theirs as cosⁿ. Both are half as
    /// bright at the same angle.
    static func inner(ofExponent exponent: Float, outer: Float) -> Float {
        let (edge, half) = (cos(outer), pow(0.5, 1 / exponent))
        return half <= edge ? outer * 0.99 : acos(clamp(edge + (half - edge) / Float(0.5).squareRoot(), -1, 1))
    }

    static func exponent(ofInner inner: Float, outer: Float) -> Float {
        let half = cos(outer) + Float(0.5).squareRoot() * (cos(inner) - cos(outer))
        return log(Float(0.5)) / log(clamp(half, 1e-6, 0.999_999))
    }

    /// Our ambient light falls on the base colour, theirs on a colour of its own. Where that is the brighter one and there is ambient light,
    /// the surface gives off the difference; where it is darker, as in most files that never thought of it, the base colour stays.
    func fitAmbientColors() {
        var light = Vector3(repeating: 0)
        for entry in placed { if let own = entry.node.light, own.kind == .ambient { light += own.linearIntensity } }
        guard light != Vector3(repeating: 0) else { return }
        for (material, color, element) in ambientColors where material.lightingModel != .constant {
            let base = material.baseColor.map == nil ? material.baseColor.factor.xyz : Vector3(repeating: 1)
            let more = simdMaximum(color - base, Vector3(repeating: 0)) * light
            guard more != Vector3(repeating: 0), material.emission.map == nil else { continue }
            material.emission.factor = Vector4(material.emission.factor.xyz + more, 1)
            warn(element, "an ambient colour brighter than the diffuse one is shown as emission", kind: "ambient colour")
        }
    }

    private func simdMaximum(_ a: Vector3, _ b: Vector3) -> Vector3 { a.replacing(with: b, where: a .< b) }

    /// Three numbers or more of a colour, sRGB, as linear ones.
    static func linear(_ numbers: [Float]) -> Vector3 {
        func channel(_ index: Int) -> Float {
            let value = index < numbers.count ? numbers[index] : numbers.last ?? 0
            let linear = max(linearFromSRGB(value), 0)
            return linear.isFinite ? linear : 0
        }
        return Vector3(channel(0), channel(1), channel(2))
    }
}
