import VitrineMath
import VitrineScene

extension LightingModel {
    /// The name of the lighting model in reports.
    var name: String {
        switch self {
        case .physicallyBased: "physicallyBased"
        case .constant: "constant"
        case .lambert: "lambert"
        case .phong: "phong"
        case .blinn: "blinn"
        }
    }
}

extension Material {
    /// The effective lobes except base and coat, with their main parameters.
    var lobeFacts: [String] {
        guard lightingModel == .physicallyBased else { return [] }
        var facts: [String] = []
        func color(_ v: Vector4) -> String { "\(v.x) \(v.y) \(v.z)" }
        if ior != 1.5 { facts.append("ior \(ior)") }
        if specular.factor.factor != 1 || specular.factor.map != nil { facts.append("specular \(specular.factor.factor)") }
        if specular.color.factor.xyz != Vector3(1, 1, 1) { facts.append("specular colour \(color(specular.color.factor))") }
        if sheen.color.factor.xyz.max() > 0 { facts.append("sheen \(color(sheen.color.factor)), roughness \(sheen.roughness.factor)") }
        if transmission.factor.factor > 0 { facts.append("transmission \(transmission.factor.factor)") }
        if transmission.dispersion > 0 { facts.append("dispersion \(transmission.dispersion)") }
        if volume.thickness.factor > 0 { facts.append("thickness \(volume.thickness.factor) m") }
        if volume.attenuationDistance.isFinite {
            facts.append("attenuation \(color(Vector4(volume.attenuationColor, 1))) after \(volume.attenuationDistance) m")
        }
        if iridescence.factor.factor > 0 {
            let film = iridescence.thickness
            facts.append("iridescence \(iridescence.factor.factor), film \(film.minimum)…\(film.maximum) nm of ior \(iridescence.ior)")
        }
        if anisotropy.strength != 0 { facts.append("anisotropy \(anisotropy.strength) at \(anisotropy.rotation.degrees)°") }
        return facts
    }
}
