import VitrineScene

/// The contents of one texture on the GPU: a texture of the scene, and perhaps channels of a second one in channels that the first one leaves free.
struct TextureContents {
    let texture: Texture
    let use: TextureUse
    var packed: Packed?

    /// Channels of a second texture, which has the same size. Both are images of 8 bits.
    struct Packed {
        let texture: Texture
        let channels: [PackedChannel]

        /// nil if the texture has no image.
        var image: PackedImage? {
            if case .image(let image) = texture.content { return PackedImage(image: image, channels: channels) }
            return nil
        }
    }

    var textures: [Texture] { packed.map { [texture, $0.texture] } ?? [texture] }
    var versions: [Int] { textures.map { $0.version } }
}

/// Channel `from` of a second texture is stored in channel `to`.
struct PackedChannel: Hashable {
    let from, to: Int
}

/// Channels of an image to be stored with those of another one of the same size.
struct PackedImage {
    let image: Image
    let channels: [PackedChannel]
}
