import VitrineScene

extension ScalarSlot {
    /// Where the number comes from, where it comes from a texture.
    var source: ChannelSource? { map.map { ChannelSource(texture: $0.texture, channel: channel) } }
}
