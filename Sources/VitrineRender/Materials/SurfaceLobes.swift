import VitrineMath
import VitrineScene

/// The optional parts of a material's shader: compiled only for materials that use them.
struct SurfaceLobes: OptionSet, Hashable {
    var rawValue: UInt16

    /// Microfacets; without it one of the three models after it.
    static let physical = SurfaceLobes(rawValue: 1 << 0)
    static let lambert = SurfaceLobes(rawValue: 1 << 1)
    static let phong = SurfaceLobes(rawValue: 1 << 2)
    static let blinn = SurfaceLobes(rawValue: 1 << 3)
    static let coat = SurfaceLobes(rawValue: 1 << 4)
    static let sheen = SurfaceLobes(rawValue: 1 << 5)
    static let specular = SurfaceLobes(rawValue: 1 << 6)
    static let anisotropy = SurfaceLobes(rawValue: 1 << 7)
    static let iridescence = SurfaceLobes(rawValue: 1 << 8)
    static let transmission = SurfaceLobes(rawValue: 1 << 9)
    static let volume = SurfaceLobes(rawValue: 1 << 10)
    static let dispersion = SurfaceLobes(rawValue: 1 << 11)
    static let function = SurfaceLobes(rawValue: 1 << 12)
    static let constant = SurfaceLobes(rawValue: 1 << 13)
    static let shadowReceiver = SurfaceLobes(rawValue: 1 << 14)

    /// Each with its name in `#if`.
    static let names: [(SurfaceLobes, String)] = [
        (.physical, "PHYSICAL"), (.lambert, "LAMBERT"), (.phong, "PHONG"), (.blinn, "BLINN"), (.coat, "COAT"), (.sheen, "SHEEN"),
        (.specular, "SPECULAR"), (.anisotropy, "ANISOTROPY"), (.iridescence, "IRIDESCENCE"), (.transmission, "TRANSMISSION"),
        (.volume, "VOLUME"), (.dispersion, "DISPERSION"), (.function, "FUNCTION"), (.constant, "CONSTANT"),
        (.shadowReceiver, "SHADOW_RECEIVER"),
    ]

    init(rawValue: UInt16) { self.rawValue = rawValue }

    /// The lobes of a material: a lobe with factor 0 is left out.
    init(_ m: Material) {
        self = []
        guard !m.isShadowReceiver else {
            self = [.shadowReceiver, .lambert]
            return
        }
        if m.surfaceFunction != nil { insert(.function) }
        switch m.lightingModel {
        case .constant: insert(.constant)
        case .lambert: insert(.lambert)
        case .phong: insert(.phong)
        case .blinn: insert(.blinn)
        case .physicallyBased:
            insert(.physical)
            addLayers(of: m)
        }
    }

    private mutating func addLayers(of m: Material) {
        func has(_ name: StaticString) -> Bool { m.surfaceFunction?.sets(name) ?? false }
        if m.clearcoat.factor.shows || has("coat") { insert(.coat) }
        if m.sheen.color.shows || has("sheenColor") { insert(.sheen) }
        let s = m.specular
        if m.ior != 1.5 || s.factor.factor * s.factor.intensity != 1 || s.factor.map != nil || s.color.map != nil || s.color.tints
            || has("specular") || has("specularColor") || has("ior")
        {
            insert(.specular)
        }
        if m.anisotropy.strength != 0 || has("anisotropy") { insert(.anisotropy) }
        if m.iridescence.factor.shows || has("iridescence") { insert(.iridescence) }
        if m.transmission.factor.shows || has("transmission") {
            insert(.transmission)
            if m.volume.thickness.shows || has("thickness") {
                insert(.volume)
                if m.transmission.dispersion > 0 { insert(.dispersion) }
            }
        }
    }

    /// The slots that are read.
    var slots: [MaterialSlot] {
        if contains(.shadowReceiver) { return [] }
        if contains(.constant) { return [.baseColor, .opacity] }
        var slots: [MaterialSlot] = [.baseColor, .normal, .occlusion, .emission, .opacity]
        if contains(.phong) || contains(.blinn) { slots.append(.highlight) }
        guard contains(.physical) else { return slots }
        // Fixed binding order: roughness before slots that share its texels.
        slots += [.roughness, .metalness]
        if contains(.coat) { slots += [.coat, .coatRoughness, .coatNormal] }
        if contains(.specular) { slots += [.specularColor, .specular] }
        if contains(.sheen) { slots += [.sheenColor, .sheenRoughness] }
        if contains(.transmission) { slots.append(.transmission) }
        if contains(.volume) { slots.append(.thickness) }
        if contains(.iridescence) { slots += [.iridescence, .iridescenceThickness] }
        if contains(.anisotropy) { slots.append(.anisotropy) }
        return slots
    }
}

extension ScalarSlot {
    fileprivate var shows: Bool { factor * intensity > 0 }
}

extension ColorSlot {
    fileprivate var shows: Bool { factor.xyz.max() * intensity > 0 }
    fileprivate var tints: Bool { factor.xyz * intensity != .init(repeating: 1) }
}
