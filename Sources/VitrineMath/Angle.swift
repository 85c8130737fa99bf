/// An angle with an explicit unit, so that degrees and radians cannot be confused.
///
/// ```swift
/// let quarter = Angle.degrees(90)
/// quarter.radians   // 1.5707964
/// ```
public struct Angle: Equatable, Hashable, Comparable, Sendable {
    /// The angle in radians. Not reduced to one turn.
    public var radians: Float

    /// Creates an angle from radians.
    @inlinable public init(radians: Float) { self.radians = radians }

    /// Creates an angle from radians: `.radians(.pi / 2)`.
    @inlinable public static func radians(_ value: Float) -> Angle { Angle(radians: value) }
    /// Creates an angle from degrees: `.degrees(90)`.
    @inlinable public static func degrees(_ value: Float) -> Angle { Angle(radians: value * (.pi / 180)) }
    /// The angle of 0 radians.
    @inlinable public static var zero: Angle { Angle(radians: 0) }

    /// The angle in degrees. Not reduced to one turn.
    @inlinable public var degrees: Float {
        get { radians * (180 / .pi) }
        set { radians = newValue * (.pi / 180) }
    }

    /// Returns the sum, not reduced to one turn.
    @inlinable public static func + (a: Angle, b: Angle) -> Angle { Angle(radians: a.radians + b.radians) }
    /// Returns the difference, not reduced to one turn.
    @inlinable public static func - (a: Angle, b: Angle) -> Angle { Angle(radians: a.radians - b.radians) }
    /// Returns the angle times a factor.
    @inlinable public static func * (a: Angle, factor: Float) -> Angle { Angle(radians: a.radians * factor) }
    /// Returns the angle divided by a number.
    @inlinable public static func / (a: Angle, factor: Float) -> Angle { Angle(radians: a.radians / factor) }
    /// Returns the opposite angle.
    @inlinable public static prefix func - (a: Angle) -> Angle { Angle(radians: -a.radians) }
    /// Adds an angle, without reducing the sum to one turn.
    @inlinable public static func += (a: inout Angle, b: Angle) { a.radians += b.radians }
    /// Subtracts an angle, without reducing the difference to one turn.
    @inlinable public static func -= (a: inout Angle, b: Angle) { a.radians -= b.radians }
    @inlinable public static func < (a: Angle, b: Angle) -> Bool { a.radians < b.radians }
}
