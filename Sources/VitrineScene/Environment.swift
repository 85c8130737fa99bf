import VitrineMath

/// What is seen behind the scene.
public enum Background {
    /// Nothing: alpha 0.
    case transparent
    case color(Color)
    /// The environment's own picture, turned with it.
    case environment
    /// Another equirectangular picture, turned with the environment.
    case image(Image)
}

/// Light from all around: an equirectangular picture, twice as wide as high.
///
/// The picture's middle lies towards +X, its upper edge towards +Y; a quarter of its width to the right of the middle lies towards +Z.
/// `rotation` turns light and background together about +Y (right-handed) and costs nothing.
public final class Environment {
    /// Equirectangular 2:1; nil: black.
    public var image: Image? {
        didSet { version &+= 1 }
    }
    /// Multiplies the light and the visible environment.
    public var intensity: Float
    public var rotation: Angle
    public var background: Background {
        didSet { version &+= 1 }
    }
    /// Rises when a picture changes, not with intensity or rotation.
    public private(set) var version = 0

    public init(image: Image? = nil, intensity: Float = 1, rotation: Angle = .zero, background: Background = .environment) {
        (self.image, self.intensity, self.rotation, self.background) = (image, intensity, rotation, background)
    }
}
