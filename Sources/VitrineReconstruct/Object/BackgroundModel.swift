import VitrineMath
import VitrineVision

/// A background that can be told from the object before anything is known of the scene: one even colour behind it, or a camera that stood still
/// while the object turned.
///
/// ```swift
/// if let background = BackgroundModel.learn(from: thumbnails) {
///     let mask = background.mask(of: photo, index: 3)       // 255 object, 0 background
/// }
/// ```
/// Neither is the case for most photos: a table or a room makes `learn` return nil, and the object is found after the alignment.
public struct BackgroundModel: Sendable {
    public enum Kind: Sendable {
        /// Every photo's border shows one colour, darker or lighter towards its sides: paper, cloth, or the dark.
        case plain
        /// The same picture, but for the object, in all photos: a turntable before a camera on a tripod.
        case still
    }

    public let kind: Kind
    /// `plain`: by photo; nil where a photo's border isn't even, and nothing of it is masked.
    let backdrops: [Backdrop?]
    /// `still`: what all photos share.
    let stillPicture: StillPicture?

    /// - Parameter thumbnails: All photos, as stored, each with a longer side of 200 to 400 pixels, in a fixed order. At least four.
    public static func learn(from thumbnails: [ColorPlane]) -> BackgroundModel? {
        guard thumbnails.count >= 4 else { return nil }
        let backdrops = thumbnails.map { Backdrop(borderOf: $0) }
        let even = backdrops.compactMap { $0 }
        // One set-up: most borders are even, and of one colour.
        if 10 * even.count >= 9 * thumbnails.count {
            let middle = (0..<3).map { channel in quantile(even.map { Double($0.middle[channel]) }, 0.5) }
            let alike = even.count { backdrop in (0..<3).allSatisfy { abs(Double(backdrop.middle[$0]) - middle[$0]) < 30 } }
            let model = BackgroundModel(kind: .plain, backdrops: backdrops, stillPicture: nil)
            if 10 * alike >= 9 * even.count, model.isSensible(for: thumbnails) { return model }
        }
        if let still = StillPicture(thumbnails) {
            let model = BackgroundModel(kind: .still, backdrops: [], stillPicture: still)
            if model.isSensible(for: thumbnails) { return model }
        }
        return nil
    }

    /// The object in a photo: 255 object, 0 background, of the photo's size. nil where this photo's background can't be told.
    ///
    /// - Parameter index: The photo's place among the thumbnails.
    public func mask(of photo: ColorPlane, index: Int) -> MaskPlane? {
        switch kind {
        case .plain:
            guard let backdrop = backdrops[safe: index] ?? nil else { return nil }
            return Silhouette.cut(photo, tolerance: backdrop.tolerance) { x, y in backdrop.difference(photo, x, y) }
        case .still:
            return stillPicture?.mask(of: photo)
        }
    }

    /// Whether an object remains in most photos, and not all of it.
    private func isSensible(for thumbnails: [ColorPlane]) -> Bool {
        let good = thumbnails.indices.count { index in
            guard let mask = mask(of: thumbnails[index], index: index) else { return false }
            let share = Double(mask.values.count { $0 != 0 }) / Double(max(1, mask.values.count))
            return share > 0.01 && share < 0.8
        }
        return 10 * good >= 8 * thumbnails.count
    }
}

/// An even background: a colour that changes linearly over the picture. Levels of 255, sRGB-encoded.
struct Backdrop: Sendable {
    /// Colour in the middle, and its change towards the right and the lower edge.
    let middle, acrossX, acrossY: Vector3
    /// The largest difference of a channel that still is background.
    let tolerance: Float

    /// nil unless most of the border shows one colour.
    init?(borderOf picture: ColorPlane) {
        let rim = max(2, min(picture.width, picture.height) / 25)
        var samples: [(place: Vector2, color: Vector3)] = []
        for y in 0..<picture.height {
            for x in 0..<picture.width where x < rim || y < rim || x >= picture.width - rim || y >= picture.height - rim {
                samples.append((Backdrop.place(x, y, picture), picture.level(x, y)))
            }
        }
        guard samples.count >= 100 else { return nil }
        let median = Vector3(
            (0..<3).map { channel in Float(quantile(samples.map { Double($0.color[channel]) }, 0.5)) })
        var inliers = samples.filter { ($0.color - median).magnitude < 36 }
        // Objects may reach the border, a stand does; textured rooms and tables show everywhere.
        guard 4 * inliers.count >= 3 * samples.count else { return nil }
        var fit = Backdrop.fit(inliers)
        for _ in 0..<3 {
            inliers = samples.filter { ($0.color - fit.color(at: $0.place)).magnitude < 20 }
            guard 4 * inliers.count >= 3 * samples.count else { return nil }
            fit = Backdrop.fit(inliers)
        }
        let offs = inliers.map { Double(($0.color - fit.color(at: $0.place)).magnitude) }
        let spread = Float(quantile(offs, 0.75))
        // An even background is even: a patterned one spreads over the whole of what was let in.
        guard spread < 11 else { return nil }
        (middle, acrossX, acrossY) = (fit.middle, fit.x, fit.y)
        tolerance = min(26, 8 + 2 * spread)
    }

    /// The largest difference of a channel from the background, in levels of 255.
    func difference(_ picture: ColorPlane, _ x: Int, _ y: Int) -> Float {
        let place = Backdrop.place(x, y, picture)
        return (picture.level(x, y) - (middle + acrossX * place.x + acrossY * place.y)).magnitude
    }

    private struct Fit {
        var middle, x, y: Vector3
        func color(at place: Vector2) -> Vector3 { middle + x * place.x + y * place.y }
    }

    /// −1…1 on both axes.
    private static func place(_ x: Int, _ y: Int, _ picture: ColorPlane) -> Vector2 {
        Vector2(2 * (Float(x) + 0.5) / Float(picture.width) - 1, 2 * (Float(y) + 0.5) / Float(picture.height) - 1)
    }

    /// Least squares of colour over place.
    private static func fit(_ samples: [(place: Vector2, color: Vector3)]) -> Fit {
        var matrix = Matrix3d(.zero, .zero, .zero)
        var right = [Vector3d](repeating: .zero, count: 3)
        for sample in samples {
            let basis = Vector3d(1, Double(sample.place.x), Double(sample.place.y))
            matrix = matrix + Matrix3d(basis * basis.x, basis * basis.y, basis * basis.z)
            for channel in 0..<3 { right[channel] += basis * Double(sample.color[channel]) }
        }
        let solutions = right.map { matrix.inverse * $0 }
        guard solutions.allSatisfy({ isFinite($0) }) else { return Fit(middle: .zero, x: .zero, y: .zero) }
        func vector(_ k: Int) -> Vector3 { Vector3(Float(solutions[0][k]), Float(solutions[1][k]), Float(solutions[2][k])) }
        return Fit(middle: vector(0), x: vector(1), y: vector(2))
    }
}

extension Vector3 {
    /// The largest component's size.
    var magnitude: Float { Swift.max(abs(x), Swift.max(abs(y), abs(z))) }
}

extension ColorPlane {
    /// 0…255.
    func level(_ x: Int, _ y: Int) -> Vector3 {
        let base = 3 * (y * width + x)
        return Vector3(Float(values[base]), Float(values[base + 1]), Float(values[base + 2]))
    }
}
