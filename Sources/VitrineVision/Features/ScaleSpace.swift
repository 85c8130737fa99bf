import VitrineMath

/// A picture at rising blur, halved with each doubling of it.
struct ScaleSpace {
    /// Levels an octave: between one and the next the blur grows by the cube root of two.
    static let steps = 3
    /// The blur of an octave's first level, in the octave's pixels.
    static let baseBlur: Float = 1.6
    /// The blur that a camera's picture is taken to have already.
    static let cameraBlur: Float = 0.5

    struct Octave {
        /// `steps + 3` levels of rising blur.
        let levels: [FloatImage]
        /// A pixel of this octave in the picture's pixels.
        let pixel: Float
    }

    let octaves: [Octave]

    /// - Parameters:
    ///   - doubled: whether the first octave is at twice the picture's size.
    ///   - isCancelled: true leaves out the octaves that are not made yet.
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
            // Below, no feature's surroundings fit any more.
            guard min(base.width, base.height) >= 24 else { break }
            base = levels[Self.steps].halved()
            pixel *= 2
        }
        self.octaves = octaves
    }

    /// The extrema of the differences of levels, over place and scale.
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

/// A point that stands out at one place and scale.
struct Keypoint {
    /// In pixels of the searched picture, the first pixel's centre at 0.5.
    var position: SIMD2<Float>
    /// Standard deviation of the blur at which it stands out, in the searched picture's pixels.
    var scale: Float
    /// The contrast: |difference of levels| at the extremum.
    var response: Float
    /// Where to look for its surroundings, and its place and scale there (indices of pixels, the first at 0).
    var octave, level: Int
    var x, y, levelScale: Float
}
