import VitrineMath

/// A Gaussian scale space: an image at increasing blur, halved in size with each doubling.
struct ScaleSpace {
    /// The number of levels per octave: the blur increases by the cube root of two per level.
    static let steps = 3
    /// The blur of the first level, in pixels of the octave.
    static let baseBlur: Float = 1.6
    /// The assumed blur of the input image.
    static let cameraBlur: Float = 0.5

    struct Octave {
        /// `steps + 3` levels of increasing blur.
        let levels: [FloatImage]
        /// The size of a pixel of this octave in pixels of the input image.
        let pixel: Float
    }

    let octaves: [Octave]

    /// Computes the scale space of an image.
    ///
    /// - Parameters:
    ///   - doubled: Whether the first octave has twice the image's size.
    ///   - isCancelled: Returns true to omit the remaining octaves.
    init(image: FloatImage, doubled: Bool, isCancelled: () -> Bool = { false }) {
        let blur = Self.cameraBlur * (doubled ? 2 : 1)
        var base = (doubled ? image.doubled() : image).blurred(sigma: (Self.baseBlur * Self.baseBlur - blur * blur).squareRoot())
        var octaves: [Octave] = []
        var pixel: Float = doubled ? 0.5 : 1
        let growth = VitrineMath.pow(2, 1 / Float(Self.steps))
        while true {
            var levels = [base]
            for i in 1..<(Self.steps + 3) where !isCancelled() {
                let previous = Self.baseBlur * VitrineMath.pow(growth, Float(i - 1))
                levels.append(levels[i - 1].blurred(sigma: previous * (growth * growth - 1).squareRoot()))
            }
            guard levels.count == Self.steps + 3 else { break }
            octaves.append(Octave(levels: levels, pixel: pixel))
            // Smaller images have no room for a descriptor.
            guard min(base.width, base.height) >= 24 else { break }
            base = levels[Self.steps].halved()
            pixel *= 2
        }
        self.octaves = octaves
    }

    /// The extrema of the differences of levels, in position and scale.
    func keypoints(contrast: Float, edgeRatio: Float, isCancelled: () -> Bool = { false }) -> [Keypoint] {
        var found: [Keypoint] = []
        for (index, octave) in octaves.enumerated() {
            var search = ExtremumSearch(octave: octave, index: index, contrast: contrast, edgeRatio: edgeRatio)
            search.run(isCancelled: isCancelled)
            found += search.found
        }
        return found
    }
}

/// An extremum in position and scale.
struct Keypoint {
    /// The position in pixels of the processed image; the centre of the first pixel is (0.5, 0.5).
    var position: SIMD2<Float>
    /// The standard deviation of the blur at which it was detected, in pixels of the processed image.
    var scale: Float
    /// The contrast: |difference of levels| at the extremum.
    var response: Float
    /// The octave and level for its descriptor, and its position and scale there (in pixels, the centre of the first at 0).
    var octave, level: Int
    var x, y, levelScale: Float
}
