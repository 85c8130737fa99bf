import VitrineMath
import VitrineScene

/// What `opaque` says about the numbers in `<transparent>`.
private enum OpaqueMode: String {
    case alphaOne = "A_ONE"
    case rgbZero = "RGB_ZERO"
    case alphaZero = "A_ZERO"
    case rgbOne = "RGB_ONE"

    /// 1: nothing shines through ("Determining Transparency", COLLADA 1.5).
    func opacity(_ color: Vector4, transparency: Float) -> Float {
        let luminance = dot(color.xyz, Vector3(0.212671, 0.715160, 0.072169))
        return switch self {
        case .alphaOne: color.w * transparency
        case .alphaZero: 1 - color.w * transparency
        case .rgbZero: 1 - luminance * transparency
        case .rgbOne: luminance * transparency
        }
    }
}

extension COLLADAReader {
    func readTransparency(
        _ shader: XMLElement, _ scope: EffectScope, into material: Material, set: (String) -> Int
    ) throws(ModelFileError) {
        let slot = shader.child("transparent")
        let given = try scope.content(shader.child("transparency"))?.float()
        guard slot != nil || given != nil else { return }
        let transparency = given.flatMap { $0.isFinite ? $0 : nil } ?? 1
        let mode = slot?["opaque"].flatMap { OpaqueMode(rawValue: $0) } ?? .alphaOne
        let content = scope.content(slot)
        if let content, content.name == "texture" {
            return try readTransparent(content, mode, transparency, scope, into: material, set: set)
        }
        let numbers = try content?.floats(limit: 16).map { $0.isFinite ? $0 : 1 } ?? [1, 1, 1, 1]
        let color = Vector4(number(numbers, 0), number(numbers, 1), number(numbers, 2), numbers.count > 3 ? numbers[3] : 1)
        let opacity = clamp(mode.opacity(color, transparency: transparency), 0, 1)
        // Old programs mean by a bare transparency of 0 that nothing shines through.
        if opacity == 0, slot?["opaque"] == nil {
            warn(shader, "transparency 0 would hide the surface: it is shown as opaque", kind: "transparency 0")
            return
        }
        guard opacity < 1 else { return }
        material.baseColor.factor.w = opacity
        material.alphaMode = .blend
    }

    private func number(_ list: [Float], _ index: Int) -> Float { index < list.count ? list[index] : list.last ?? 1 }

    private func readTransparent(
        _ element: XMLElement, _ mode: OpaqueMode, _ transparency: Float, _ scope: EffectScope, into material: Material,
        set: (String) -> Int
    ) throws(ModelFileError) {
        guard let texture = try texture(element, scope), case .encoded(let bytes) = texture.content else { return }
        let map = TextureMap(texture, set: set(element["texcoord"] ?? ""), transform: try Self.transform(element))
        if mode == .alphaOne {
            let opacity = clamp(transparency, 0, 1)
            if !OpacityImage.mayHaveAlpha(bytes) {
                guard opacity < 1, opacity > 0 else { return }
                material.baseColor.factor.w = opacity
            } else if let base = material.baseColor.map, base.texture === texture, base.set == map.set {
                // The base colour's own alpha counts already.
                material.baseColor.factor.w = opacity > 0 ? opacity : 1
            } else {
                material.opacity = ScalarSlot(opacity > 0 ? opacity : 1, map: map, channel: .alpha)
            }
            material.alphaMode = .blend
            return
        }
        let image = OpacityImage.make(bytes, name: texture.name) { mode.opacity(Vector4($0, $1, $2, $3), transparency: transparency) }
        guard let image else {
            warn(element, "the image \"\(texture.name)\" can't be read for its transparency")
            return
        }
        let made = Texture(name: texture.name + " (opacity)", content: .image(image), sampler: texture.sampler)
        textures.append(ParsedTexture(texture: made, imageIndex: nextImageIndex(), uri: "", place: element.place))
        material.opacity = ScalarSlot(1, map: TextureMap(made, set: map.set, transform: map.transform), channel: .red)
        material.alphaMode = .blend
    }
}
