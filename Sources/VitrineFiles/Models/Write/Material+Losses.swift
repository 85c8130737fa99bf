import VitrineMath
import VitrineScene

/// The properties of a material except colour, metalness, roughness, normals and a coat.
enum MaterialLobe: CaseIterable {
    case lightMap, specular, ior, sheen, transmission, volume, iridescence, anisotropy, lighting, function, shadowReceiver

    /// Returns the name of the property in warnings.
    func name(in material: Material) -> String {
        switch self {
        case .lightMap: "a light map"
        case .specular: "specular factor and colour"
        case .ior: "index of refraction \(material.ior)"
        case .sheen: "sheen"
        case .transmission: "transmission"
        case .volume: "a volume"
        case .iridescence: "iridescence"
        case .anisotropy: "anisotropy"
        case .lighting: "\(material.lightingModel) lighting (metalness and roughness are written)"
        case .function: "a surface function"
        case .shadowReceiver: "the shadow receiver"
        }
    }

    func shows(in material: Material) -> Bool {
        let specular = material.specular
        return switch self {
        case .lightMap: material.lightMap.map != nil
        case .specular:
            specular.factor.factor != 1 || specular.factor.map != nil || specular.color.map != nil
                || specular.color.factor.xyz != Vector3(repeating: 1)
        case .ior: material.ior != 1.5
        case .sheen: material.sheen.color.factor.xyz != Vector3(repeating: 0)
        case .transmission: material.transmission.factor.factor != 0
        case .volume: material.volume.thickness.factor != 0
        case .iridescence: material.iridescence.factor.factor != 0
        case .anisotropy: material.anisotropy.strength != 0
        case .lighting: material.lightingModel != .physicallyBased && material.lightingModel != .constant
        case .function: material.surfaceFunction != nil
        case .shadowReceiver: material.isShadowReceiver
        }
    }
}

extension Material {
    /// Returns the names of effective properties that are not in `supported`, in a fixed order: those that a format does not store.
    func losses(except supported: [MaterialLobe]) -> [String] {
        MaterialLobe.allCases.filter { !supported.contains($0) && $0.shows(in: self) }.map { $0.name(in: self) }
    }
}
