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
            clearcoat.roughness.map, clearcoat.normal.map, displacement.map, opacity.map, specular.factor.map, specular.color.map,
            sheen.color.map, sheen.roughness.map, transmission.factor.map, volume.thickness.map, iridescence.factor.map,
            iridescence.thicknessMap, anisotropy.map, highlight.color.map,
        ].compactMap { $0 }
    }
}
