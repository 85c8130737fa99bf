import VitrineFiles
import VitrineMath
import VitrineVision

/// A background that can be segmented before anything is known about the scene: one uniform colour behind the object, a static camera
/// in front of a turntable, or the sky.
///
/// ```swift
/// if let background = BackgroundModel.learn(from: thumbnails) {
///     let mask = background.mask(of: photo, index: 3)       // 255 object, 0 background
/// }
/// ```
/// Most photos have none: with a table or a room in them `learn` returns nil, and the object is segmented after the alignment.
struct BackgroundModel: Equatable, Sendable {
    enum Kind: Sendable {
        /// The border of every photo has one colour, darker or lighter towards its sides: paper, cloth, or darkness.
        case uniform
        /// All photos, or each of a few groups of photos, have the same background: a turntable in front of a camera on a tripod.
        case staticScene
        /// The sky over the object; the rest of the surroundings is segmented after the alignment.
        case sky
    }

    let kind: Kind
    /// The background of each photo; nil for a photo whose background cannot be segmented.
    private let backgrounds: [PhotoBackground?]
    /// The static backgrounds, and the index of that of each photo; empty for the other kinds.
    private let scenes: [StaticBackground]
    private let sceneOfPhoto: [Int]

    private init(_ kind: Kind, _ backgrounds: [PhotoBackground?]) {
        (self.kind, self.backgrounds, scenes, sceneOfPhoto) = (kind, backgrounds, [], [])
    }

    private init(scenes: [StaticBackground], sceneOfPhoto: [Int]) {
        (kind, self.scenes, self.sceneOfPhoto) = (.staticScene, scenes, sceneOfPhoto)
        backgrounds = sceneOfPhoto.map { .staticScene(region: scenes[$0].region) }
    }

    /// Learns the background that photos share.
    ///
    /// - Parameters:
    ///   - thumbnails: All photos, as stored, each with a longer side of 200 to 400 pixels, in a fixed order. At least four, or three with a sky.
    ///   - skies: The sky that each photo may show.
    static func learn(from thumbnails: [ColorPlane], skies: [Sky?] = []) -> BackgroundModel? {
        behindTheObject(thumbnails) ?? overTheObject(thumbnails, skies)
    }

    /// nil unless a third of the photos, and three of them, show a sky.
    private static func overTheObject(_ thumbnails: [ColorPlane], _ skies: [Sky?]) -> BackgroundModel? {
        let found = zip(thumbnails, skies).map { thumbnail, sky in sky.flatMap { $0.mask(of: thumbnail) == nil ? nil : $0 } }
        let count = found.count { $0 != nil }
        return count >= 3 && 3 * count >= found.count ? BackgroundModel(.sky, found.map { $0.map { .sky($0) } }) : nil
    }

    private static func behindTheObject(_ thumbnails: [ColorPlane]) -> BackgroundModel? {
        guard thumbnails.count >= 4 else { return nil }
        let backdrops = thumbnails.map { Backdrop(borderOf: $0) }
        let even = backdrops.compactMap { $0 }
        // One set-up: most borders are even, and of one colour.
        if 10 * even.count >= 9 * thumbnails.count {
            let middle = (0..<3).map { channel in quantile(even.map { Double($0.middle[channel]) }, 0.5) }
            let alike = even.count { backdrop in (0..<3).allSatisfy { abs(Double(backdrop.middle[$0]) - middle[$0]) < 30 } }
            let model = BackgroundModel(.uniform, backdrops.map { $0.map { .uniform($0) } })
            if 10 * alike >= 9 * even.count, model.isSensible(for: thumbnails) { return model }
        }
        if let background = StaticBackground(thumbnails) {
            let model = BackgroundModel(scenes: [background], sceneOfPhoto: thumbnails.map { _ in 0 })
            if model.isSensible(for: thumbnails) { return model }
        }
        return groups(thumbnails)
    }

    /// The model of a camera that was moved a few times: each group of photos has its own static background.
    private static func groups(_ thumbnails: [ColorPlane]) -> BackgroundModel? {
        let groups = StaticBackground.groups(thumbnails)
        guard groups.count > 1 else { return nil }
        var (scenes, sceneOfPhoto) = ([StaticBackground](), [Int](repeating: 0, count: thumbnails.count))
        for group in groups {
            guard let background = StaticBackground(group.map { thumbnails[$0] }) else { return nil }
            for photo in group { sceneOfPhoto[photo] = scenes.count }
            scenes.append(background)
        }
        let model = BackgroundModel(scenes: scenes, sceneOfPhoto: sceneOfPhoto)
        return model.isSensible(for: thumbnails) ? model : nil
    }

    /// The background of a photo; nil if it cannot be segmented.
    ///
    /// - Parameter index: The index of the photo's thumbnail.
    subscript(index: Int) -> PhotoBackground? { backgrounds.indices.contains(index) ? backgrounds[index] : nil }

    /// The static background of a photo; nil for the other kinds.
    func scene(of index: Int) -> StaticBackground? { sceneOfPhoto.indices.contains(index) ? scenes[sceneOfPhoto[index]] : nil }

    /// The object in a photo: 255 object, 0 background, of the photo's size. nil if this photo's background cannot be segmented.
    func mask(of photo: ColorPlane, index: Int) -> MaskPlane? { self[index]?.mask(of: photo) }

    /// Whether segmentation leaves an object in most photos, and does not keep all of the photo.
    private func isSensible(for thumbnails: [ColorPlane]) -> Bool {
        let good = thumbnails.indices.count { index in
            guard let mask = mask(of: thumbnails[index], index: index) else { return false }
            let share = Double(mask.values.count { $0 != 0 }) / Double(max(1, mask.values.count))
            return share > 0.01 && share < 0.8
        }
        return 10 * good >= 8 * thumbnails.count
    }
}

/// The background of one photo.
enum PhotoBackground: Equatable, Sendable {
    case uniform(Backdrop)
    /// 0 at the background, 255 in the region in which the object turns.
    case staticScene(region: MaskPlane)
    case sky(Sky)

    /// 255 object, 0 background, of the photo's size; nil if nothing is background.
    func mask(of photo: ColorPlane) -> MaskPlane? {
        switch self {
        case .uniform(let backdrop):
            Silhouette.cut(photo, tolerance: backdrop.tolerance) { x, y in backdrop.difference(photo, x, y) }
        case .staticScene(let region): region.enlarged(width: photo.width, height: photo.height)
        case .sky(let sky): sky.mask(of: photo)
        }
    }
}

extension MaskPlane {
    /// A larger mask: each pixel the one of this mask that contains it.
    func enlarged(width newWidth: Int, height newHeight: Int) -> MaskPlane {
        var result = MaskPlane(width: newWidth, height: newHeight, repeating: 0)
        for y in 0..<newHeight {
            let row = min(height - 1, y * height / newHeight)
            for x in 0..<newWidth { result[x, y] = self[min(width - 1, x * width / newWidth), row] }
        }
        return result
    }
}

extension PhotoBackground: ByteCodable {
    func write(to writer: inout ByteWriter) {
        switch self {
        case .uniform(let backdrop):
            writer.write(0)
            writer.encode(backdrop)
        case .staticScene(let region):
            writer.write(1)
            writer.encode(StoredMask(mask: region))
        case .sky(let sky):
            writer.write(2)
            writer.encode(sky)
        }
    }

    static func read(from reader: inout ByteReader) throws(DamagedCheckpoint) -> PhotoBackground {
        switch try reader.int() {
        case 0: return .uniform(try reader.decode())
        case 1:
            let region = try reader.decode(StoredMask.self).mask
            guard region.width > 0, region.height > 0 else { throw DamagedCheckpoint() }
            return .staticScene(region: region)
        case 2: return .sky(try reader.decode())
        default: throw DamagedCheckpoint()
        }
    }
}

extension BackgroundModel: ByteCodable {
    func write(to writer: inout ByteWriter) {
        switch kind {
        case .uniform, .sky:
            writer.write(kind == .uniform ? 0 : 2)
            writer.encode(backgrounds)
        case .staticScene:
            writer.write(1)
            writer.encode(scenes)
            writer.write(sceneOfPhoto.map(UInt32.init))
        }
    }

    static func read(from reader: inout ByteReader) throws(DamagedCheckpoint) -> BackgroundModel {
        switch try reader.int() {
        case 0: return BackgroundModel(.uniform, try reader.decode())
        case 1:
            let scenes: [StaticBackground] = try reader.decode()
            let sceneOfPhoto = try reader.array(of: UInt32.self).map(Int.init)
            guard sceneOfPhoto.allSatisfy({ scenes.indices.contains($0) }) else { throw DamagedCheckpoint() }
            return BackgroundModel(scenes: scenes, sceneOfPhoto: sceneOfPhoto)
        case 2: return BackgroundModel(.sky, try reader.decode())
        default: throw DamagedCheckpoint()
        }
    }
}

/// A uniform background: a colour that changes linearly over the photo. Levels of 255, sRGB-encoded.
struct Backdrop: Equatable, Sendable {
    /// Colour in the middle, and its change towards the right and the lower edge.
    let middle, acrossX, acrossY: Vector3
    /// The largest difference of a channel for the background.
    let tolerance: Float

    private init(middle: Vector3, acrossX: Vector3, acrossY: Vector3, tolerance: Float) {
        (self.middle, self.acrossX, self.acrossY, self.tolerance) = (middle, acrossX, acrossY, tolerance)
    }

    /// nil unless most of the border has one colour.
    init?(borderOf photo: ColorPlane) {
        let rim = max(2, min(photo.width, photo.height) / 25)
        var samples: [(position: Vector2, color: Vector3)] = []
        for y in 0..<photo.height {
            for x in 0..<photo.width where x < rim || y < rim || x >= photo.width - rim || y >= photo.height - rim {
                samples.append((Backdrop.position(x, y, photo), photo.level(x, y)))
            }
        }
        guard samples.count >= 100 else { return nil }
        let median = Vector3(
            (0..<3).map { channel in Float(quantile(samples.map { Double($0.color[channel]) }, 0.5)) })
        var inliers = samples.filter { ($0.color - median).magnitude < 36 }
        // Objects and their stands may reach the border; textured rooms and tables are visible everywhere along it.
        guard 4 * inliers.count >= 3 * samples.count else { return nil }
        var fit = Backdrop.fit(inliers)
        for _ in 0..<3 {
            inliers = samples.filter { ($0.color - fit.color(at: $0.position)).magnitude < 20 }
            guard 4 * inliers.count >= 3 * samples.count else { return nil }
            fit = Backdrop.fit(inliers)
        }
        let offs = inliers.map { Double(($0.color - fit.color(at: $0.position)).magnitude) }
        let spread = Float(quantile(offs, 0.75))
        // The residuals of an even background are small; those of a patterned one spread over the whole inlier range.
        guard spread < 11 else { return nil }
        (middle, acrossX, acrossY) = (fit.middle, fit.x, fit.y)
        tolerance = min(26, 8 + 2 * spread)
    }

    /// The largest difference of a channel from the background, in levels of 255.
    func difference(_ photo: ColorPlane, _ x: Int, _ y: Int) -> Float {
        let position = Backdrop.position(x, y, photo)
        return (photo.level(x, y) - (middle + acrossX * position.x + acrossY * position.y)).magnitude
    }

    private struct Fit {
        var middle, x, y: Vector3
        func color(at position: Vector2) -> Vector3 { middle + x * position.x + y * position.y }
    }

    /// −1…1 on both axes.
    private static func position(_ x: Int, _ y: Int, _ photo: ColorPlane) -> Vector2 {
        Vector2(2 * (Float(x) + 0.5) / Float(photo.width) - 1, 2 * (Float(y) + 0.5) / Float(photo.height) - 1)
    }

    /// Least squares of colour over position.
    private static func fit(_ samples: [(position: Vector2, color: Vector3)]) -> Fit {
        var matrix = Matrix3d(.zero, .zero, .zero)
        var right = [Vector3d](repeating: .zero, count: 3)
        for sample in samples {
            let basis = Vector3d(1, Double(sample.position.x), Double(sample.position.y))
            matrix = matrix + Matrix3d(basis * basis.x, basis * basis.y, basis * basis.z)
            for channel in 0..<3 { right[channel] += basis * Double(sample.color[channel]) }
        }
        let solutions = right.map { matrix.inverse * $0 }
        guard solutions.allSatisfy({ $0.isFinite }) else { return Fit(middle: .zero, x: .zero, y: .zero) }
        func vector(_ k: Int) -> Vector3 { Vector3(Float(solutions[0][k]), Float(solutions[1][k]), Float(solutions[2][k])) }
        return Fit(middle: vector(0), x: vector(1), y: vector(2))
    }
}

extension Backdrop: ByteCodable {
    func write(to writer: inout ByteWriter) {
        writer.write([middle, acrossX, acrossY])
        writer.write(tolerance)
    }

    static func read(from reader: inout ByteReader) throws(DamagedCheckpoint) -> Backdrop {
        let vectors = try reader.vectors(of: Float.self)
        guard vectors.count == 3 else { throw DamagedCheckpoint() }
        return Backdrop(middle: vectors[0], acrossX: vectors[1], acrossY: vectors[2], tolerance: try reader.float())
    }
}

extension Vector3 {
    /// The largest component's size.
    var magnitude: Float { Swift.max(abs(x), Swift.max(abs(y), abs(z))) }
}

extension ColorPlane {
    /// Returns the levels of a pixel, 0…255.
    func level(_ x: Int, _ y: Int) -> Vector3 {
        let base = 3 * (y * width + x)
        return Vector3(Float(values[base]), Float(values[base + 1]), Float(values[base + 2]))
    }
}
