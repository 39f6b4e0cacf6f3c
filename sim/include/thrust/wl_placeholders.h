/* Thrust's placeholders: _1 * 2 + _2 is a function of two arguments. */
#pragma once

namespace thrust {

template <typename F> struct wl_actor {
    F function;
    template <typename... A> auto operator()(A &&...values) const { return function(std::forward<A>(values)...); }
};
template <typename F> wl_actor<F> wl_act(F function) { return {function}; }
template <size_t I> struct wl_argument {
    template <typename... A> auto operator()(A &&...values) const {
        return std::get<I>(std::forward_as_tuple(std::forward<A>(values)...));
    }
};

template <typename T> struct wl_is_actor : std::false_type {};
template <typename F> struct wl_is_actor<wl_actor<F>> : std::true_type {};
/* An operand's value: an actor's, or the operand itself. */
template <typename F, typename... A> auto wl_value(const wl_actor<F> &f, A &&...values) {
    return f(std::forward<A>(values)...);
}
template <typename T, typename... A, typename = std::enable_if_t<!wl_is_actor<T>::value>>
const T &wl_value(const T &x, A &&...) {
    return x;
}
#define WL_OPERATOR(op)                                                                                            \
    template <typename A, typename B, typename = std::enable_if_t<wl_is_actor<A>::value || wl_is_actor<B>::value>> \
    auto operator op(const A &a, const B &b) {                                                                     \
        return wl_act([=](auto &&...values) { return wl_value(a, values...) op wl_value(b, values...); });         \
    }
WL_OPERATOR(+)
WL_OPERATOR(-)
WL_OPERATOR(*)
WL_OPERATOR(/)
WL_OPERATOR(%)
WL_OPERATOR(&)
WL_OPERATOR(|)
WL_OPERATOR(^)
WL_OPERATOR(<<)
WL_OPERATOR(>>)
WL_OPERATOR(==)
WL_OPERATOR(!=)
WL_OPERATOR(<)
WL_OPERATOR(>)
WL_OPERATOR(<=)
WL_OPERATOR(>=)
WL_OPERATOR(&&)
WL_OPERATOR(||)
#undef WL_OPERATOR
#define WL_OPERATOR(op)                                                             \
    template <typename F> auto operator op(const wl_actor<F> &a) {                  \
        return wl_act([=](auto &&...values) { return op wl_value(a, values...); }); \
    }
WL_OPERATOR(-)
WL_OPERATOR(!)
WL_OPERATOR(~)
#undef WL_OPERATOR

namespace placeholders {
static const wl_actor<wl_argument<0>> _1 = {};
static const wl_actor<wl_argument<1>> _2 = {};
static const wl_actor<wl_argument<2>> _3 = {};
static const wl_actor<wl_argument<3>> _4 = {};
} // namespace placeholders
} // namespace thrust
