extension ColorSlot {
    /// The image of the slot's map; nil if there is no map, or if its content is still compressed.
    ///
    /// ```swift
    /// material.baseColor.image = try Image(contentsOf: url)
    /// ```
    ///
    /// Setting an image keeps the map's sampler, texture-coordinate set and transform, and leaves other materials that share the old texture as
    /// they are. Setting nil removes the map. To share one texture between materials, set `map`.
    public var image: Image? {
        get { map?.image }
        set { map = TextureMap(map, image: newValue) }
    }
}

extension ScalarSlot {
    /// The image of the slot's map, of which `channel` is used; see `ColorSlot.image`.
    public var image: Image? {
        get { map?.image }
        set { map = TextureMap(map, image: newValue) }
    }
}

extension NormalSlot {
    /// The image of the slot's map; see `ColorSlot.image`.
    public var image: Image? {
        get { map?.image }
        set { map = TextureMap(map, image: newValue) }
    }
}

extension TextureMap {
    fileprivate var image: Image? {
        if case .image(let image) = texture.content { image } else { nil }
    }

    /// `map` with a texture of its own that shows `image`; nil without an image.
    fileprivate init?(_ map: TextureMap?, image: Image?) {
        guard let image else { return nil }
        let texture = Texture(image, sampler: map?.texture.sampler ?? Sampler())
        self.init(texture, set: map?.set ?? 0, transform: map?.transform ?? .identity)
    }
}
