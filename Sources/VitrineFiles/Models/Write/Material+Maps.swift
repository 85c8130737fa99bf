import VitrineScene

extension ScalarSlot {
    /// Where the number comes from, where it comes from a texture.
    var source: ChannelSource? { map.map { ChannelSource(texture: $0.texture, channel: channel) } }
}

extension Material {
    /// Of every slot that has one, in a fixed order.
    var textureMaps: [TextureMap] {
        [
            baseColor.map, metalness.map, roughness.map, normal.map, occlusion.map, emission.map, clearcoat.factor.map,
            clearcoat.roughness.map, clearcoat.normal.map, displacement.map,
        ].compactMap { $0 }
    }
}
