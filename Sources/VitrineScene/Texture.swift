import VitrineMath

/// The treatment of texture coordinates outside 0…1.
public enum WrapMode: Equatable, Hashable, Sendable {
    /// Repeats the image.
    case `repeat`
    /// Repeats the image, every other copy mirrored.
    case mirroredRepeat
    /// Continues the texels of the edge.
    case clampToEdge
}

/// The interpolation of texels.
public enum FilterMode: Equatable, Hashable, Sendable {
    /// Selects the nearest texel.
    case nearest
    /// Interpolates between neighbouring texels.
    case linear
}

/// A description of how textures are sampled: wrapping and filtering.
public struct Sampler: Equatable, Hashable, Sendable {
    /// The wrap mode along u.
    public var wrapS: WrapMode
    /// The wrap mode along v.
    public var wrapT: WrapMode
    /// The filter where a texel covers several pixels.
    public var magnification: FilterMode
    /// The filter where a pixel covers several texels.
    public var minification: FilterMode
    /// The filter between mip levels; nil to use only the full-size level.
    public var mip: FilterMode?
    /// The maximum anisotropy, 1…16: the number of samples along the direction of the strongest minification.
    public var maximumAnisotropy: Int

    /// Creates a sampler. Default: linear filtering with mip levels, repeating.
    public init(
        wrapS: WrapMode = .repeat, wrapT: WrapMode = .repeat, magnification: FilterMode = .linear, minification: FilterMode = .linear,
        mip: FilterMode? = .linear, maximumAnisotropy: Int = 1
    ) {
        (self.wrapS, self.wrapT, self.magnification, self.minification) = (wrapS, wrapT, magnification, minification)
        (self.mip, self.maximumAnisotropy) = (mip, maximumAnisotropy)
    }
}

/// The contents of a texture: compressed bytes (PNG, JPEG …) or pixels.
///
/// Model readers without codecs leave the bytes compressed for a later decoder.
public enum TextureContent: Sendable {
    /// The compressed bytes of an image file.
    case encoded([UInt8])
    /// An image with decoded pixels.
    case image(Image)
}

/// An image with a sampler. A reference type, so that the image is uploaded to the GPU once.
public final class Texture {
    /// The name, for messages and files.
    public var name: String
    /// The content of the texture: encoded bytes or decoded pixels.
    public var content: TextureContent {
        didSet {
            version &+= 1
            isKnownDecodable = false
        }
    }
    /// The sampler with which texels are read.
    public var sampler: Sampler
    /// The version, incremented by every change of `content`.
    public private(set) var version = 0
    /// The image that the platform has decoded, which replaces `content`. Default nil.
    package var platformImage: PlatformImage? {
        didSet { version &+= 1 }
    }
    /// Whether the current content has been decoded without an error. Setting `content` resets it.
    package var isKnownDecodable = false

    /// Creates a texture.
    public init(name: String = "", content: TextureContent, sampler: Sampler = Sampler()) {
        (self.name, self.content, self.sampler) = (name, content, sampler)
    }

    /// Creates a texture from an image.
    public convenience init(_ image: Image, sampler: Sampler = Sampler()) {
        self.init(name: image.name, content: .image(image), sampler: sampler)
    }
}

/// An image that the platform has decoded and stores outside the program's memory, such as a browser's `ImageBitmap`.
package final class PlatformImage {
    /// The platform's number for the image.
    package let number: UInt32
    /// The size in pixels.
    package let width, height: Int
    private let release: (UInt32) -> Void

    /// Creates an image.
    ///
    /// - Parameter release: Frees the platform's image. Called when this object is freed.
    package init(number: UInt32, width: Int, height: Int, release: @escaping (UInt32) -> Void) {
        (self.number, self.width, self.height, self.release) = (number, width, height, release)
    }

    deinit { release(number) }
}

/// A transform of texture coordinates (KHR_texture_transform): `uv' = offset + R(rotation) · (scale · uv)`.
public struct TextureTransform: Equatable, Hashable, Sendable {
    /// The offset, added last.
    public var offset: Vector2
    /// The rotation about the origin of uv, counter-clockwise with v up.
    public var rotation: Angle
    /// The scale, applied first.
    public var scale: Vector2

    /// Creates a transform, by default the identity.
    public init(offset: Vector2 = Vector2(0, 0), rotation: Angle = .zero, scale: Vector2 = Vector2(1, 1)) {
        (self.offset, self.rotation, self.scale) = (offset, rotation, scale)
    }

    /// The identity transform.
    public static var identity: TextureTransform { TextureTransform() }

    /// The rows (a, b, c) of `u' = a u + b v + c`, first for u, then for v.
    public var rows: (Vector3, Vector3) {
        let (s, c) = (sin(rotation.radians), cos(rotation.radians))
        return (Vector3(c * scale.x, s * scale.y, offset.x), Vector3(-s * scale.x, c * scale.y, offset.y))
    }
}

/// A channel of a texture, for slots with a single number.
public enum TextureChannel: Int, Equatable, Hashable, Sendable {
    /// The red channel, the only one of a grey image.
    case red
    /// The green channel.
    case green
    /// The blue channel.
    case blue
    /// The alpha channel; 1 in images without one.
    case alpha
}

/// The use of a texture in a slot of a material.
public struct TextureMap {
    /// The image and its sampler.
    public var texture: Texture
    /// The index of the set of texture coordinates.
    public var set: Int
    /// The transform of the texture coordinates.
    public var transform: TextureTransform

    /// Creates a map of a texture.
    public init(_ texture: Texture, set: Int = 0, transform: TextureTransform = .identity) {
        (self.texture, self.set, self.transform) = (texture, set, transform)
    }
}
