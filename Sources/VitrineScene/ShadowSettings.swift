/// The resolution and range of a light's shadows. The bias is not configurable: it follows from the size of a shadow map's texels.
public struct ShadowSettings: Equatable, Sendable {
    /// The width of a shadow map in texels, 64…4,096, rounded up to a power of two; nil for 2,048 for directional lights (each cascade) and 1,024 for
    /// others (each side of the cube around a point light).
    public var resolution: Int?
    /// The number of cascades of a directional light, 1…4, each coarser than the previous one. A scene that fits one map has one cascade. Default 4.
    public var cascadeCount: Int
    /// The distance in metres from the camera at which shadows of a directional light end; nil for no limit: up to the farthest object that casts one.
    public var distance: Float?

    /// Creates settings; see the properties for defaults.
    public init(resolution: Int? = nil, cascadeCount: Int = 4, distance: Float? = nil) {
        (self.resolution, self.cascadeCount, self.distance) = (resolution, cascadeCount, distance)
    }
}
