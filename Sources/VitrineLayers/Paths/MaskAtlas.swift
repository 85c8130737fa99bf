import VitrineGPU
import VitrineMath

/// The coverage masks of paths, packed into a few textures. A mask is reused until its path moves or changes.
final class MaskAtlas {
    /// Identifies the outline of a mask; replaced when the outline changes.
    final class Token {}

    struct Key: Hashable {
        let token: ObjectIdentifier
        /// The part of the path: nil for the fill, otherwise the stroke.
        let part: SurfacePlan.Joining?
        /// The map from the path's plane to the pixels of the mask.
        let u, v, one: SIMD3<Double>
        let width, height: Int
    }

    struct Position {
        let page, x, y: Int
    }

    private struct Entry {
        // Retained so that its identity is not reused.
        let token: Token
        let position: Position
        var lastUse: UInt64
    }

    fileprivate struct Page {
        let texture: GPUTexture
        let view: GPUTextureView
        var shelves: [(y: Int, height: Int, end: Int)] = []
        var bottom = 0
    }

    private static let pageSize = 2048
    /// The largest number of pages after a frame; if there are more, all are freed.
    private static let greatestPageCount = 4

    private let device: GPUDevice
    private var pages: [Page] = []
    private var entries: [Key: Entry] = [:]
    /// The number of the current frame.
    private var frame: UInt64 = 0

    init(_ device: GPUDevice) { self.device = device }

    func view(_ page: Int) -> GPUTextureView? { pages.indices.contains(page) ? pages[page].view : nil }

    /// Starts a frame: the masks that it uses are kept.
    func beginFrame(_ number: UInt64) { frame = number }

    func position(of key: Key) -> Position? {
        entries[key]?.lastUse = frame
        return entries[key]?.position
    }

    /// Adds a mask.
    func add(_ bytes: [UInt8], _ key: Key, _ token: Token) throws(GPUError) -> Position {
        let position = try room(key.width, key.height)
        device.queue.write(
            bytes, to: pages[position.page].texture.copyInfo(x: position.x, y: position.y), size: GPUExtent(key.width, key.height))
        entries[key] = Entry(token: token, position: position, lastUse: frame)
        return position
    }

    private func room(_ width: Int, _ height: Int) throws(GPUError) -> Position {
        for page in pages.indices {
            if let (x, y) = pages[page].take(width, height) { return Position(page: page, x: x, y: y) }
        }
        let size = GPUExtent(max(Self.pageSize, width), max(Self.pageSize, height))
        let texture = try device.makeTexture(
            GPUTextureDescriptor("masks", size: size, format: .r8Unorm, usage: [.textureBinding, .copyDestination]))
        pages.append(Page(texture: texture, view: try texture.makeView()))
        let (x, y) = pages[pages.count - 1].take(width, height) ?? (0, 0)
        return Position(page: pages.count - 1, x: x, y: y)
    }

    /// Clears the atlas if it has too many pages or if most of its masks are outdated; call it after a frame.
    func trim() {
        guard pages.count > 1 else { return }
        let used = entries.values.reduce(0) { $0 + ($1.lastUse == frame ? 1 : 0) }
        if pages.count > Self.greatestPageCount || used * 4 < entries.count { purge() }
    }

    func purge() { (pages, entries) = ([], [:]) }

    /// The memory in bytes.
    var memory: Int { pages.reduce(0) { $0 + $1.texture.width * $1.texture.height } }
}

extension MaskAtlas.Page {
    /// Returns a free position on a shelf of about this height, or on a new one.
    fileprivate mutating func take(_ width: Int, _ height: Int) -> (x: Int, y: Int)? {
        for index in shelves.indices {
            let shelf = shelves[index]
            if height <= shelf.height, shelf.height <= height + height / 2 + 8, shelf.end + width <= texture.width {
                shelves[index].end += width
                return (shelf.end, shelf.y)
            }
        }
        guard width <= texture.width, bottom + height <= texture.height else { return nil }
        shelves.append((y: bottom, height: height, end: width))
        bottom += height
        return (0, bottom - height)
    }
}
