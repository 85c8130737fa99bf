/// How places are kept and found again.
public struct PlaceSettings: Equatable, Sendable {
    /// Whether places are kept at all. Default true.
    public var isOn = true
    /// The most views kept, and the most points of each; beyond, the view that others stand in for best goes, and points that were followed for
    /// a shorter time. A view takes 75 KB at most. Defaults 256 and 120: 19 MB.
    public var most = 256
    public var mostPoints = 120
    /// Seconds between two views at least, and between two looks at what is there while a known place is looked for. Defaults 0.5 and 0.4.
    public var interval = 0.5
    public var lookInterval = 0.4
    /// How far from every view kept the camera has to be for a new one: the way as a share of the distance to what is seen, and the turn in
    /// radians. Defaults 0.15 and 0.2.
    public var way = 0.15
    public var turn = 0.2
    /// Seconds that a view waits for its points to be placed. Default 4.
    public var patience = 4.0
    /// The largest standard deviation of a point's depth, as a share of it, with which it is kept: it counts by it. Default 0.1.
    public var depthDeviation = 0.1
    /// A view with fewer placed points is not kept. Default 20.
    public var leastPoints = 20

    /// How many corners a picture is compared by while a place is looked for, features that are followed among them. Default 300.
    public var corners = 300
    /// What a picture may cost while a place is looked for, in about so many microseconds: a search goes on with the next ones. Default 2000.
    public var work = 2000.0
    /// By how many features all views are ranked. Default 100.
    public var rankedFeatures = 100
    /// How many of the most similar views are compared in full. Default 5.
    public var candidates = 5
    /// The most that the distance of a match may be of the next best's. Default 0.85.
    public var ratio: Float = 0.85
    /// How many points have to agree, in how many twelfths of the picture, for a place to be known again. Defaults 16 and 4.
    public var leastAgreeing = 16
    public var leastSpread = 4
    /// The share of matches that have to agree, and of the nearest views' points that have to be seen where they must be. Defaults 0.2 and 0.3.
    public var leastShare = 0.2
    public var leastSeen = 0.3
    /// Pixels by which points that agree may be off. Default 4.
    public var tolerance = 4.0
    /// Radians that gravity may be off. Default 0.04.
    public var tilt = 0.04
    /// How many points have to agree in all finds that are one: nothing is believed that was found only once. Default 80.
    public var enoughAgreeing = 80
    /// How far apart two finds may lie to be one, metres and radians. Defaults 0.1 and 0.03.
    public var agreement = 0.1
    public var turnAgreement = 0.03
    /// For how many seconds after a place was found it is looked where exactly. Default 8.
    public var refinement = 8.0
    /// How far off the newest finds have to say that the world lies for it to be moved once more, metres and radians. Defaults 0.01 and 0.006.
    public var correction = 0.01
    public var turnCorrection = 0.006
    /// After a loss, for how many seconds of sure tracking the state stays `limited(.relocalizing)` where the old place isn't found. Then the
    /// world goes on from where it was believed to be; the place is still looked for. A world that was given is waited for without end.
    /// Default 5.
    public var waiting = 5.0
    /// Of the search's random numbers.
    public var seed: UInt64 = 1

    public init() {}
}
