import VitrineMath
import VitrineScene

/// What a material may have beside colour, metalness, roughness, normals and a coat.
enum MaterialLobe: CaseIterable {
    case lightMap, specular, ior, sheen, transmission, volume, iridescence, anisotropy, lighting, function, shadowReceiver

    /// As warnings call it.
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
        case .shadowReceiver: "catching shadows only"
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
    /// The names of what shows and isn't one of `held`, in a fixed order: what a format loses.
    func losses(butFor held: [MaterialLobe]) -> [String] {
        MaterialLobe.allCases.filter { !held.contains($0) && $0.shows(in: self) }.map { $0.name(in: self) }
    }
}
